#include "tools/run_inspection.h"

#include <fmt/format.h>

#include <utility>

#include "interp/zip.h"
#include "printer/printer.h"
#include "support/status_macros.h"
#include "support/write_file.h"
#include "tools/value_files.h"

namespace hlo::tools {

Inspection::Inspection(const Module& module, const InspectionOptions& options, Session& session)
    : module_(module), options_(options), session_(session) {
  if (options.trace) {
    const auto write = [&session](std::string_view line) { session.Write(line); };
    observers_.Add(&tracer_.emplace(module, *options.trace, write));
  }
  if (options.first_nan) observers_.Add(&nan_finder_.emplace(module));
  for (const std::string& dump : options.dumps) {
    const size_t colon = dump.rfind(':');
    observers_.Add(&dumpers_.emplace_back(module, dump.substr(0, colon), dump.substr(colon + 1)));
  }
  if (options.profile || !options.profile_out.empty()) {
    observers_.Add(&profiler_.emplace(module, !options.profile_out.empty()));
  }
}

absl::Status Inspection::MakeDirectories() const {
  for (const std::string& dump : options_.dumps) {
    HLO_RETURN_IF_ERROR(MakeDirectory(dump.substr(dump.rfind(':') + 1)));
  }
  return absl::OkStatus();
}

void Inspection::Finish() {
  constexpr size_t kProfileLines = 40;
  absl::Status status;
  if (options_.profile) session_.Write(profiler_->Text(kProfileLines));
  if (!options_.profile_out.empty()) {
    status.Update(WriteFileAtomically(options_.profile_out, profiler_->ChromeTrace()));
  }
  if (nan_finder_ && nan_finder_->found() && !options_.repro_out.empty()) {
    status.Update(WriteRepro());
  }
  if (!status.ok()) session_.ReportEnvironment(status);
}

// Small operands become constants; large ones lie in an archive beside the program, and so does
// the item of an infeed.
absl::Status Inspection::WriteRepro() const {
  constexpr int64_t kMaxConstantElements = 4096;
  const ExecutedInstruction& executed = nan_finder_->executed();
  absl::StatusOr<Repro> repro =
      MakeRepro(module_, executed, kMaxConstantElements,
                [](const Literal& literal) { return PrintLiteral(literal); });
  if (!repro.ok()) {
    session_.Note(fmt::format("{} is not written: {}", options_.repro_out,
                              std::string(repro.status().message())));
    return absl::OkStatus();
  }
  NpzMembers members;
  for (const auto& [name, literal] : repro->parameters) {
    HLO_RETURN_IF_ERROR(AppendMembers(*literal, name, members));
  }
  std::string_view option = "inputs";
  if (module_.instruction(executed.instruction).opcode == Opcode::kInfeed) {
    option = "infeed";
    HLO_RETURN_IF_ERROR(AppendMembers(InfeedItem(module_, executed), "", members));
  }
  std::string text = std::move(repro->text);
  if (!members.empty()) {
    const std::string archive = options_.repro_out + ".npz";
    HLO_RETURN_IF_ERROR(WriteFileAtomically(archive, EncodeZip(members)));
    text = fmt::format("// Run with --{}=@{}\n{}", option, archive, text);
  }
  return WriteFileAtomically(options_.repro_out, text);
}

}  // namespace hlo::tools
