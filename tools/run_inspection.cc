// Observers are registered by their addresses in this object, which therefore stays where it is.
// Participants run at once, so each has an inspection of its own, whose lines wait for Finish. The
// machine is measured once for all. A dump is split at its last colon, as patterns have colons too.
#include "tools/run_inspection.h"

#include <fmt/format.h>

#include <utility>

#include "printer/printer.h"
#include "support/status_macros.h"
#include "support/write_file.h"
#include "tools/interrupt_scope.h"
#include "tools/run_inputs.h"
#include "values/value_files.h"
#include "values/zip.h"

namespace hlo::tools {
namespace {

// Before the first run, for all of them.
const simd::MachineLimits& MeasureOnce(ThreadPool& threads) {
  static const simd::MachineLimits machine = simd::MeasureMachine(threads);
  return machine;
}

}  // namespace

bool InspectionOptions::JoinsTraces() const {
  return !profile_out.empty() && !HasDevicePlaceholder(profile_out);
}

InspectionOptions InspectionOptions::OfDevice(int64_t device) const {
  InspectionOptions own = *this;
  for (std::string& dump : own.dumps) dump += fmt::format("/{}", device);
  own.profile_out = WithDevice(profile_out, device);
  own.joins_traces = JoinsTraces();
  own.repro_out = WithDevice(repro_out, device);
  return own;
}

Inspection::Inspection(const Plan& plan, std::span<const Literal* const> arguments,
                       const InspectionOptions& options, Session& session, ThreadPool& threads,
                       std::string whose)
    : module_(*plan.module), options_(options), session_(session), whose_(std::move(whose)) {
  const Module& module = *plan.module;
  if (options.trace) {
    const auto write = [this](std::string_view line) {
      if (whose_.empty()) return session_.Write(line);
      traced_ += fmt::format("{}: {}", whose_, line);
    };
    observers_.Add(&tracer_.emplace(module, *options.trace, write));
  }
  if (options.first_nan) {
    const NanKind kind = options.first_nan == "inf" ? NanKind::kNanOrInfinity : NanKind::kNan;
    observers_.Add(&nan_finder_.emplace(
        plan, arguments, kind, [](const Literal& literal) { return PrintLiteral(literal); }));
  }
  for (const std::string& dump : options.dumps) {
    const size_t colon = dump.rfind(':');
    observers_.Add(&dumpers_.emplace_back(module, dump.substr(0, colon), dump.substr(colon + 1)));
  }
  if (options.profile || !options.profile_out.empty()) {
    observers_.Add(&profiler_.emplace(plan, !options.profile_out.empty()));
    if (options.profile) machine_ = MeasureOnce(threads);
  }
}

absl::Status Inspection::MakeDirectories() const {
  for (const std::string& dump : options_.dumps) {
    const std::string path = dump.substr(dump.rfind(':') + 1);
    if (!whose_.empty()) HLO_RETURN_IF_ERROR(MakeDirectory(path.substr(0, path.rfind('/'))));
    HLO_RETURN_IF_ERROR(MakeDirectory(path));
  }
  return absl::OkStatus();
}

void Inspection::CheckResult(const Literal& result) {
  has_result_ = true;
  if (nan_finder_) nan_finder_->CheckResult(result);
}

void Inspection::NoteNothingFound() {
  session_.Note(options_.first_nan == "inf" ? "no instruction made or took a NaN or an infinity"
                                            : "no instruction made or took a NaN");
  if (!options_.repro_out.empty()) {
    session_.Note(fmt::format("{} is not written: there is nothing to show", options_.repro_out));
  }
}

void Inspection::Finish(DiagnosticSink& sink) {
  constexpr size_t kProfileLines = 40;
  InterruptScope::SetActivity("writing what was found");
  absl::Status status;
  session_.Write(traced_);
  if (options_.profile) {
    if (!whose_.empty()) session_.Write(fmt::format("{}:\n", whose_));
    session_.Write(profiler_->Text(kProfileLines, machine_));
  }
  if (!options_.profile_out.empty() && !options_.joins_traces) {
    const std::string events = profiler_->ChromeEvents({}, profiler_->first_step());
    status.Update(WriteFileAtomically(options_.profile_out, ChromeTrace(events)));
  }
  if (profiler_ && profiler_->left_out_count() > 0) {
    session_.Note(fmt::format("{}the last {} steps are not in {}", whose_,
                              profiler_->left_out_count(), options_.profile_out));
  }
  if (nan_finder_ && nan_finder_->found()) {
    nan_finder_->Report(sink);
    if (!options_.repro_out.empty()) status.Update(WriteRepro());
  } else if (nan_finder_ && has_result_) {
    NoteNothingFound();
  }
  if (!status.ok()) session_.ReportEnvironment(status);
}

// Small operands become constants; large ones lie in an archive beside the program, and so does
// the item of an infeed.
absl::Status Inspection::WriteRepro() const {
  constexpr int64_t kMaxConstantElements = 4096;
  const ExecutedInstruction& executed = nan_finder_->executed();
  absl::StatusOr<Repro> repro = nan_finder_->MakeProgram(kMaxConstantElements);
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
  std::string text = PrintModule(repro->module, {.style = PrintStyle::kPretty});
  if (!members.empty()) {
    const std::string archive = options_.repro_out + ".npz";
    HLO_RETURN_IF_ERROR(WriteFileAtomically(archive, EncodeZip(members)));
    text = fmt::format("// Run with --{}=@{}\n{}", option, archive, text);
  }
  return WriteFileAtomically(options_.repro_out, text);
}

}  // namespace hlo::tools
