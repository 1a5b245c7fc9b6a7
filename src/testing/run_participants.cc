#include "testing/run_participants.h"

#include <fmt/format.h>

#include "interp/replica/replica_run.h"
#include "support/status_macros.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

absl::Status WithNotes(const Module& module, const MeshFailure& failure) {
  std::string text(failure.status.message());
  if (failure.at.valid()) {
    text = fmt::format("{}: {}", module.instruction(failure.at).name, text);
  }
  for (const MeshFailure::Note& note : failure.notes) text += "\n" + note.text;
  return absl::Status(failure.status.code(), text);
}

}  // namespace

absl::StatusOr<std::vector<Literal>> RunOnParticipants(
    const Module& module, const DeviceCounts& counts,
    std::span<const std::vector<Literal>> arguments,
    const std::function<void(DeviceContext&)>& prepare) {
  DiagnosticSink sink(module.source());
  const std::optional<Plan> plan = PlanModule(module, sink);
  if (!plan) return absl::InvalidArgumentError(sink.diagnostics().front().message);
  ReplicaRun run(*plan, counts);
  for (ParticipantId id = 0; id < run.participant_count() && prepare; ++id) prepare(run.device(id));
  HLO_RETURN_IF_ERROR(run.Start());
  std::vector<std::vector<const Literal*>> pointers(static_cast<size_t>(run.participant_count()));
  for (size_t id = 0; id < pointers.size(); ++id) {
    if (arguments.empty()) continue;
    for (const Literal& argument : arguments[arguments.size() == 1 ? 0 : id]) {
      pointers[id].push_back(&argument);
    }
  }
  if (!run.Run(pointers).ok()) return WithNotes(module, *run.failure());
  std::vector<Literal> results;
  for (ParticipantId id = 0; id < run.participant_count(); ++id) {
    HLO_ASSIGN_OR_RETURN(Literal result, run.Result(id));
    results.push_back(std::move(result));
  }
  return results;
}

absl::StatusOr<std::vector<Literal>> RunTextOnParticipants(std::string text,
                                                           const DeviceCounts& counts) {
  HLO_ASSIGN_OR_RETURN(const Module module, ParseText("participants", std::move(text)));
  return RunOnParticipants(module, counts, {});
}

}  // namespace hlo::testing
