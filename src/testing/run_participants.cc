// Processes are threads here, each with a link and a run of its own, over one plan, which no run
// changes. Results come in the order of the processes, which is that of the participants; of
// several that failed the first one is heard.
#include "testing/run_participants.h"

#include <thread>

#include <fmt/format.h>

#include "interp/make_plan.h"
#include "interp/replica/replica_run.h"
#include "support/status_macros.h"
#include "testing/local_processes.h"
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

// The results of the participants that `run` has here.
absl::StatusOr<std::vector<Literal>> RunLocal(const Module& module, ReplicaRun& run,
                                              std::span<const std::vector<Literal>> arguments) {
  HLO_RETURN_IF_ERROR(run.Start());
  std::vector<std::vector<const Literal*>> pointers;
  for (ParticipantId id = run.local().first; id < run.local().end(); ++id) {
    std::vector<const Literal*>& own = pointers.emplace_back();
    if (arguments.empty()) continue;
    for (const Literal& argument : arguments[arguments.size() == 1 ? 0 : static_cast<size_t>(id)]) {
      own.push_back(&argument);
    }
  }
  if (!run.Run(pointers).ok()) return WithNotes(module, *run.failure());
  std::vector<Literal> results;
  for (ParticipantId id = run.local().first; id < run.local().end(); ++id) {
    HLO_ASSIGN_OR_RETURN(Literal result, run.Result(id));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> RunOnParticipants(
    const Module& module, const DeviceCounts& counts,
    std::span<const std::vector<Literal>> arguments,
    const std::function<void(DeviceContext&)>& prepare, const PlanOptions& options) {
  DiagnosticSink sink(module.source());
  const std::optional<Plan> plan = PlanModule(module, sink, options);
  if (!plan) return absl::InvalidArgumentError(sink.diagnostics().front().message);
  ReplicaRun run(*plan, counts);
  for (ParticipantId id = 0; id < run.participant_count() && prepare; ++id) prepare(run.device(id));
  return RunLocal(module, run, arguments);
}

absl::StatusOr<std::vector<Literal>> RunOnProcesses(const Module& module,
                                                    const DeviceCounts& counts,
                                                    std::span<const std::vector<Literal>> arguments,
                                                    int64_t process_count) {
  DiagnosticSink sink(module.source());
  const std::optional<Plan> plan = PlanModule(module, sink);
  if (!plan) return absl::InvalidArgumentError(sink.diagnostics().front().message);
  std::vector<std::unique_ptr<ProcessLink>> links = LinkLocalProcesses(process_count);
  std::vector<absl::StatusOr<std::vector<Literal>>> parts(links.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < links.size(); ++i) {
    threads.emplace_back([&, i] {
      ProcessGroup group(std::move(links[i]));
      ReplicaRun run(*plan, counts, &group);
      parts[i] = RunLocal(module, run, arguments);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Literal> results;
  for (absl::StatusOr<std::vector<Literal>>& part : parts) {
    if (!part.ok()) return part.status();
    for (Literal& result : *part) results.push_back(std::move(result));
  }
  return results;
}

absl::StatusOr<std::vector<Literal>> RunTextOnParticipants(std::string text,
                                                           const DeviceCounts& counts,
                                                           int64_t process_count) {
  HLO_ASSIGN_OR_RETURN(const Module module, ParseText("participants", std::move(text)));
  if (process_count > 0) return RunOnProcesses(module, counts, {}, process_count);
  return RunOnParticipants(module, counts, {});
}

}  // namespace hlo::testing
