// The stages of a run, each of which reports what is wrong and then ends it: parse, verify, make
// elided constants up, count participants, plan, look at the memory, make inputs, run, report.
// Inputs come behind the plan, so that what does not fit memory is refused before they are read.
// What goes on is named for interrupts and progress (SetActivity).
#include "tools/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>

#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/inspect/estimate.h"
#include "interp/make_plan.h"
#include "interp/run_limits.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "support/render_diagnostic.h"
#include "support/status_macros.h"
#include "tools/custom_call_library.h"
#include "tools/interrupt_scope.h"
#include "tools/run_progress_line.h"
#include "tools/skipped_calls.h"
#include "values/output_file.h"
#include "values/value_files.h"
#include "values/value_json.h"

namespace hlo::tools {
namespace {

// The result with the layouts that the module's header asks for, where it does.
Literal WithEntryLayout(const Module& module, Literal result) {
  const EntryComputationLayout* layout = module.attributes().GetIf<Attr::kEntryComputationLayout>();
  if (layout != nullptr && layout->result.shape != nullptr &&
      Compatible(*layout->result.shape, result.shape())) {
    result.set_shape(*layout->result.shape);
  }
  return result;
}

LibraryUse LibraryUseOf(std::string_view option) {
  if (option == "never") return LibraryUse::kNever;
  return option == "always" ? LibraryUse::kWherePossible : LibraryUse::kWhereFaster;
}

}  // namespace

ProgramRunner::ProgramRunner(Session& session, const RunOptions& options, Processes& processes)
    : session_(session),
      options_(options),
      processes_(processes),
      threads_(options.threads > 0 ? options.threads : ThreadPool::ProcessorCount()) {}

std::optional<Module> ProgramRunner::Load(const std::shared_ptr<const SourceText>& source) {
  DiagnosticSink sink(source, session_.limits());
  std::optional<Module> module = ParseModule(source, sink);
  session_.Report(sink);
  return module;
}

int64_t ProgramRunner::MemoryLimit() const {
  if (options_.max_memory == 0) return DefaultMemoryLimit();
  return static_cast<int64_t>(std::min<uint64_t>(options_.max_memory, INT64_MAX));
}

uint64_t ProgramRunner::FileLimit() const {
  return static_cast<uint64_t>(std::max(MemoryLimit(), kFreeByteSize));
}

PlanOptions ProgramRunner::PlanWith(const std::string& backend) const {
  return {.backend = FindBackend(backend),
          .max_byte_size = static_cast<int64_t>(FileLimit()),
          .lends_arguments = true,
          .runs_once = options_.repeat <= 1,
          .library_use = LibraryUseOf(options_.onednn),
          .keeps_identity_calls = !options_.custom_call_libraries.empty()};
}

void ProgramRunner::ReportStop(const Module& module, InstructionId at, const absl::Status& status,
                               DiagnosticSink& sink, std::string_view whose) {
  if (absl::IsUnavailable(status)) return session_.ReportEnvironment(status);  // dumps
  if (absl::IsDataLoss(status)) return;  // --first-nan says itself what it found
  if (absl::IsCancelled(status) && InterruptScope::IsTimeOver()) {
    const Instruction* instruction = at.valid() ? &module.instruction(at) : nullptr;
    sink.Error(Rule::kRunTimeLimit, instruction ? instruction->opcode_range : module.name_range(),
               "the time limit of {} s was over before {}", options_.time_limit,
               instruction ? fmt::format("`{}`", instruction->name) : "its end");
  } else {
    hlo::ReportStop(module, at, status, sink, whose);
  }
}

void ProgramRunner::PrintTimes(const std::vector<double>& seconds) {
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  double sum = 0;
  for (double s : sorted) sum += s;
  session_.Note(fmt::format("{} runs: min {:.6f} s, median {:.6f} s, mean {:.6f} s, max {:.6f} s",
                            sorted.size(), sorted.front(), sorted[sorted.size() / 2],
                            sum / static_cast<double>(sorted.size()), sorted.back()));
}

absl::Status ProgramRunner::PrepareDevice(const Module& module, DeviceContext& device) {
  device.set_seed(options_.input.seed);
  device.set_max_iterations(options_.max_iterations);
  device.set_max_work(options_.max_work);
  device.set_thread_pool(&threads_);
  device.set_advice_for_unknown_calls(
      "--custom-call-lib=LIB.so or in C++ CustomCallRegistry::Register supplies a function of that "
      "name, --unknown-custom-calls=zeros lets it give zeros, --only=REGEX runs other parts of the "
      "program");
  device.set_zeros_for_unknown_calls(options_.unknown_custom_calls == "zeros");
  for (const std::string& library : options_.custom_call_libraries) {
    HLO_RETURN_IF_ERROR(RegisterLibraryTargets(library, module, device.custom_calls()));
  }
  return absl::OkStatus();
}

std::optional<Literal> ProgramRunner::Execute(const Plan& plan,
                                              const std::vector<Literal>& arguments,
                                              const HostFeeds& feeds, DeviceContext& device,
                                              StepObserver* observer, DiagnosticSink& sink) {
  const Module& module = *plan.module;
  absl::StatusOr<std::unique_ptr<Executor>> executor = Executor::Create(plan, device, observer);
  if (!executor.ok()) {
    ReportStop(module, InstructionId(), executor.status(), sink);
    return std::nullopt;
  }
  if (!RunOften(plan, **executor, arguments, feeds, device, sink)) return std::nullopt;
  InterruptScope::SetActivity("copying the result");
  absl::StatusOr<Literal> result = (*executor)->Result();
  if (result.ok()) return *std::move(result);
  ReportStop(module, InstructionId(), result.status(), sink);
  return std::nullopt;
}

bool ProgramRunner::RunOften(const Plan& plan, Executor& executor,
                             const std::vector<Literal>& arguments, const HostFeeds& feeds,
                             DeviceContext& device, DiagnosticSink& sink) {
  const InterruptScope::Run interrupt(device, *plan.module, &executor);
  RunProgressLine line(plan, options_.repeat, [&] { return executor.position(); });
  const Progress::Source source(session_.progress(), [&] { return line.Text(); });
  std::vector<double> seconds;
  for (int64_t i = 0; i < options_.repeat; ++i) {
    line.BeginRun(i);
    feeds.Fill(device);
    device.ResetRandomCounter();
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = executor.Run(arguments);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
    if (!status.ok()) {
      ReportStop(*plan.module, executor.stopped_at(), status, sink);
      return false;
    }
  }
  if (options_.repeat > 1) PrintTimes(seconds);
  return true;
}

// What the program sent, and what it left.
void ProgramRunner::ReportFeeds(const DeviceContext& device) {
  session_.Write(HostFeeds::Text(device, options_.max_print));
  const absl::Status written = HostFeeds::Write(device, options_.feeds);
  if (!written.ok()) session_.ReportEnvironment(written);
  const std::string leftover = HostFeeds::LeftoverText(device);
  if (!leftover.empty()) session_.Note(leftover);
}

void ProgramRunner::PrintMemory(const Module& module, const Literal& result, DiagnosticSink& sink) {
  MemoryTextOptions options = *options_.print_memory;
  options.max_byte_size = MemoryLimit();
  const absl::StatusOr<std::string> text = MemoryText(WithEntryLayout(module, result), options);
  if (text.ok()) return session_.Write(*text);
  const bool is_too_large = absl::IsResourceExhausted(text.status());
  sink.Error(is_too_large ? Rule::kRunMemory : Rule::kRunMemoryImage,
             module.root(module.entry()).shape_range, "{}", std::string(text.status().message()));
}

bool ProgramRunner::Compare(const Literal& result, const Literal& expected) {
  InterruptScope::SetActivity("comparing the result");
  bool ok = true;
  int64_t reported = 0;
  for (const ArrayComparison& comparison : CompareLiterals(result, expected, options_.tolerance)) {
    if (comparison.matches()) continue;
    ok = false;
    if (reported++ < options_.max_report) session_.Write(whose_ + ComparisonText(comparison));
  }
  if (!ok) session_.AddFinding();
  return ok;
}

void ProgramRunner::CompareWithFile(const Literal& result, int64_t device) {
  const std::string path = WithDevice(PathOf(options_.expect), device);
  const absl::StatusOr<ValueFile> file =
      ReadValueFile(path, {LargestArray(result.shape()), FileLimit()});
  if (!file.ok()) return session_.ReportEnvironment(file.status());
  const absl::StatusOr<Literal> expected = WholeValue(file->members, result.shape());
  if (!expected.ok()) {
    const std::string message =
        fmt::format("{}: {}", path, std::string(expected.status().message()));
    if (absl::IsInvalidArgument(expected.status())) return session_.ReportEnvironment(message);
    session_.AddFinding();  // other arrays than the result's
    return session_.Write(fmt::format("{}result: {}\n", whose_, message));
  }
  const absl::StatusOr<CastValue> cast =
      CastTo(*expected, result.shape(), options_.input.cast, kRoundingOption);
  if (!cast.ok()) {
    return session_.ReportEnvironment(
        fmt::format("{}: {}", path, std::string(cast.status().message())));
  }
  if (!cast->note.empty()) session_.Note(fmt::format("{}{}: {}", whose_, path, cast->note));
  if (Compare(result, cast->value)) session_.Note(fmt::format("{}matches {}", whose_, path));
}

void ProgramRunner::CompareWithBackend(const RunnableModule& runnable, const Literal& result,
                                       const std::vector<Literal>& arguments,
                                       const HostFeeds& feeds, DiagnosticSink& sink) {
  const std::optional<Plan> plan = MakePlan(runnable, sink, PlanWith(options_.reference_backend));
  if (!plan) return;
  DeviceContext device;
  const absl::Status prepared = PrepareDevice(runnable.module(), device);
  if (!prepared.ok()) return session_.ReportEnvironment(prepared);
  const std::optional<Literal> expected =
      Execute(*plan, arguments, feeds, device, /*observer=*/nullptr, sink);
  if (expected && Compare(result, *expected)) {
    session_.Note(fmt::format("matches backend {}", options_.reference_backend));
  }
}

std::string ProgramRunner::SingleFileOption() const {
  const InspectionOptions& inspection = options_.inspection;
  if (!options_.outputs.empty()) return "--output=" + options_.outputs.front();
  if (!options_.feeds.outfeed.empty()) return "--outfeed=" + options_.feeds.outfeed;
  if (!options_.feeds.to_host.empty()) return "--to-host=" + options_.feeds.to_host;
  if (!inspection.dumps.empty()) return "--dump=" + inspection.dumps.front();
  if (!inspection.repro_out.empty()) return "--repro-out=" + inspection.repro_out;
  if (!inspection.profile_out.empty()) return "--profile-out=" + inspection.profile_out;
  return "";
}

void ProgramRunner::Run(const std::shared_ptr<const SourceText>& source, std::string heading) {
  heading_ = std::move(heading);
  if (const std::string option = SingleFileOption(); has_run_ && !option.empty()) {
    return session_.ReportEnvironment(fmt::format(
        "{}: not run, `{}` is the place of the first program's", source->name(), option));
  }
  has_run_ = true;
  // The first process asks the others.
  std::optional<InterruptScope> interrupt;
  if (processes_.is_first()) {
    interrupt.emplace(session_.tool_name(), options_.time_limit,
                      /*has_others=*/processes_.group() != nullptr);
  }
  InterruptScope::SetActivity("reading the program");
  const Progress::Source activity(session_.progress(), InterruptScope::Activity);
  std::optional<Module> module;
  DiagnosticSink sink(source, session_.limits());
  // Whatever throws where memory is short, from the parser to printing, ends here; kernels have
  // said so before (executor.cc).
  try {
    module = Load(source);
    if (module) RunParsed(*module, sink);
  } catch (const std::bad_alloc&) {
    processes_.Abort("the machine has no memory left");
    sink.Error(Rule::kRunMemory, module ? module->name_range() : SourceRange{},
               "the machine has no memory left");
  }
  session_.Report(sink);
}

void ProgramRunner::RunParsed(Module& module, DiagnosticSink& sink) {
  const DeviceCounts given = {options_.devices.replicas.value_or(1),
                              options_.devices.partitions.value_or(1)};
  const std::optional<RunnableModule> runnable =
      RunnableModule::Verify(module, sink, /*has_warnings=*/session_.verbosity() > 0, given);
  if (!runnable) {
    if (const std::string lack = LackText(module, given); !lack.empty()) session_.Note(lack);
    return;
  }
  if (!options_.only.empty() && !is_part_) return RunParts(module, sink);
  const bool needs_values = options_.estimate.empty() && options_.print_plan.empty();
  if (needs_values &&
      !FillConstants(module, options_.input.fake, options_.input.seed, MemoryLimit(), sink)) {
    return;
  }
  const std::optional<DeviceCounts> counts = CountParticipants(module, sink);
  if (counts) RunVerified(*runnable, *counts, sink);
}

void ProgramRunner::RunVerified(const RunnableModule& runnable, const DeviceCounts& counts,
                                DiagnosticSink& sink) {
  const Module& module = runnable.module();
  PlanOptions plan_options = PlanWith(options_.backend);
  plan_options.fuses = !options_.inspection.WatchesInstructions();
  plan_options.last_pass = FindPlanPass(options_.print_plan);
  InterruptScope::SetActivity("planning");
  const int64_t count = counts.replicas * counts.partitions;
  const bool has_several = count > 1;
  if (!has_several && !processes_.is_first()) return;
  std::optional<Plan> plan;
  // What takes the same arguments again and again, unless memory is short.
  plan_options.freezes_arguments = options_.repeat > 1 && !has_several;
  const auto make = [&] {
    plan =
        MakePlanWithin(runnable, sink, plan_options, processes_.LocalCount(count), MemoryLimit());
    const bool only_looks = !options_.print_plan.empty() || !options_.estimate.empty();
    if (!plan || only_looks) return plan.has_value();
    return FitsMemory(*plan, processes_.LocalCount(count), MemoryLimit(), sink);
  };
  if (has_several ? !processes_.Agree(sink, make) : !make()) return;
  if (!options_.print_plan.empty()) return session_.Write(PlanText(*plan));
  if (!options_.estimate.empty()) return PrintEstimate(*plan, counts);
  if (const std::string skipped = SkippedCallsText(module); !skipped.empty()) {
    session_.Note(skipped);
  }
  if (has_several) return RunOnParticipants(runnable, *plan, counts, sink);
  if (options_.input.are_cut || options_.joins_results) {
    return session_.ReportEnvironment(fmt::format(
        "{} has no effect, one device runs the program: --partitions=N says how many do",
        options_.input.are_cut ? "--shard-inputs" : "--unshard-outputs"));
  }
  InputOptions input = options_.input;
  FeedOptions feed_options = options_.feeds;
  input.max_byte_size = feed_options.max_byte_size = FileLimit();
  InterruptScope::SetActivity("making the inputs");
  const absl::StatusOr<std::optional<Inputs>> inputs = MakeInputs(module, input, sink);
  if (!inputs.ok()) return session_.ReportEnvironment(inputs.status());
  HostFeeds feeds;
  const absl::Status feeds_read = feeds.Read(module, feed_options, sink);
  if (!feeds_read.ok()) return session_.ReportEnvironment(feeds_read);
  if (!*inputs || !feeds.ok()) return;
  for (const std::string& note : (*inputs)->notes) session_.Note(note);
  RunPlan(runnable, *plan, (*inputs)->values, feeds, sink);
}

void ProgramRunner::PrintEstimate(const Plan& plan, const DeviceCounts& counts) {
  constexpr size_t kInstructions = 10;
  const Estimate estimate(plan, counts.replicas * counts.partitions);
  if (options_.estimate == "text") {
    const std::string first = heading_.empty() ? "" : heading_ + ":\n";
    return session_.Write(first + estimate.Text(kInstructions));
  }
  const std::string json = estimate.Json(kInstructions);
  session_.Write(heading_.empty() ? json + "\n"
                                  : fmt::format("{{\"file\": \"{}\", \"estimate\": {}}}\n",
                                                EscapeJson(heading_), json));
}

void ProgramRunner::RunPlan(const RunnableModule& runnable, const Plan& plan,
                            const std::vector<Literal>& arguments, const HostFeeds& feeds,
                            DiagnosticSink& sink) {
  const Module& module = *plan.module;
  if (options_.print_literals) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      session_.Write(
          fmt::format("input {}: {}\n", i, PrintResultLiteral(arguments[i], options_.max_print)));
    }
  }
  DeviceContext device;
  const absl::Status prepared = PrepareDevice(module, device);
  if (!prepared.ok()) return session_.ReportEnvironment(prepared);
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  Inspection inspection(plan, pointers, options_.inspection, session_, threads_);
  const absl::Status directories = inspection.MakeDirectories();
  if (!directories.ok()) return session_.ReportEnvironment(directories);
  const std::optional<Literal> result =
      Execute(plan, arguments, feeds, device, inspection.observer(), sink);
  if (result) inspection.CheckResult(*result);
  inspection.Finish(sink);
  ReportFeeds(device);
  if (!result) return;
  ReportResult(module, *result, sink);
  if (!options_.expect.empty()) CompareWithFile(*result);
  if (!options_.reference_backend.empty()) {
    CompareWithBackend(runnable, *result, arguments, feeds, sink);
  }
}

absl::Status ProgramRunner::TryWriteOutput(const Literal& result, const std::string& output) const {
  if (!options_.upcast) return WriteValue(result, PathOf(output));
  HLO_ASSIGN_OR_RETURN(const Literal plain, UpcastToF32(result));
  return WriteValue(plain, PathOf(output));
}

void ProgramRunner::WriteOutput(const Literal& result, const std::string& output) {
  InterruptScope::SetActivity("writing the result");
  const absl::Status status = TryWriteOutput(result, output);
  if (!status.ok()) session_.ReportEnvironment(status);
}

std::string ProgramRunner::ResultText(const Literal& result) const {
  if (!options_.print_json) {
    const std::string first = heading_.empty() ? "" : heading_ + ":\n";
    return first + PrintResultLiteral(result, options_.max_print) + "\n";
  }
  if (heading_.empty()) return ValueJson(result) + "\n";
  return fmt::format("{{\"file\": \"{}\", \"result\": {}}}\n", EscapeJson(heading_),
                     ValueJson(result));
}

void ProgramRunner::PrintResult(const Module& module, const Literal& result, DiagnosticSink& sink) {
  InterruptScope::SetActivity("printing the result");
  session_.Write(ResultText(result));
  if (options_.print_memory) PrintMemory(module, result, sink);
}

void ProgramRunner::ReportResult(const Module& module, const Literal& result,
                                 DiagnosticSink& sink) {
  PrintResult(module, result, sink);
  for (const std::string& output : options_.outputs) WriteOutput(result, output);
}

}  // namespace hlo::tools
