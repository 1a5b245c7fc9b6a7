#include "tools/run_program.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>

#include "interp/check_shapes.h"
#include "interp/executor.h"
#include "interp/files.h"
#include "interp/inspect.h"
#include "interp/npy.h"
#include "interp/profile.h"
#include "interp/zip.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "tools/custom_call_library.h"

namespace hlo::tools {
namespace {

// Ctrl-C asks the running device to stop; a second one ends the process.
std::atomic<DeviceContext*> g_running_device = nullptr;  // a signal handler has no other way

void HandleInterrupt(int) {
  if (DeviceContext* device = g_running_device.load()) device->Interrupt();
}

class InterruptScope {
 public:
  explicit InterruptScope(DeviceContext& device) {
    g_running_device = &device;
    struct sigaction action = {};
    action.sa_handler = HandleInterrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &previous_);
  }
  ~InterruptScope() {
    sigaction(SIGINT, &previous_, nullptr);
    g_running_device = nullptr;
  }

 private:
  struct sigaction previous_ = {};
};

int64_t DefaultMemoryLimit() {
  int64_t page_count = sysconf(_SC_PHYS_PAGES);
  int64_t page_size = sysconf(_SC_PAGESIZE);
  return page_count > 0 && page_size > 0 ? page_count * page_size / 10 * 9 : INT64_MAX;
}

std::string SizeText(int64_t byte_size) {
  constexpr std::string_view kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(byte_size);
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return unit == 0 ? fmt::format("{} bytes", byte_size)
                   : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

// The members of an archive for a value: arrays by their place in the tuple tree, "0", "1.2".
absl::Status AppendMembers(const Literal& literal, const std::string& name, NpzMembers& members) {
  if (literal.shape().IsTuple()) {
    for (size_t i = 0; i < literal.tuple_elements().size(); ++i) {
      std::string inner = name.empty() ? std::to_string(i) : fmt::format("{}.{}", name, i);
      absl::Status status = AppendMembers(literal.tuple_elements()[i], inner, members);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (!literal.shape().IsArray()) return absl::OkStatus();
  absl::StatusOr<std::string> bytes = EncodeNpy(literal);
  if (!bytes.ok()) return bytes.status();
  members.emplace_back(name.empty() ? "0" : name, *std::move(bytes));
  return absl::OkStatus();
}

// @x.npy: the one array; @x.npz: all of them; @dir: a file each.
absl::Status WriteOutput(const Literal& result, std::string path) {
  if (path.starts_with('@')) path.erase(0, 1);
  NpzMembers members;
  absl::Status status = AppendMembers(result, "", members);
  if (!status.ok()) return status;
  if (path.ends_with(".npz")) return WriteFileAtomically(path, EncodeZip(members));
  if (path.ends_with(".npy")) {
    if (members.size() == 1) return WriteFileAtomically(path, members[0].second);
    return absl::InvalidArgumentError(
        fmt::format("`{}` can hold one array, the result has {}", path, members.size()));
  }
  mkdir(path.c_str(), 0777);  // a directory that is there already is fine, others fail below
  for (const auto& [name, bytes] : members) {
    status.Update(WriteFileAtomically(fmt::format("{}/{}.npy", path, name), bytes));
  }
  return status;
}

// Replaces the arrays of `expected`, which has the result's shape, by those of the archive.
absl::Status FillExpected(const NpzMembers& members, const std::string& name, Literal& expected) {
  if (expected.shape().IsTuple()) {
    for (size_t i = 0; i < expected.tuple_elements().size(); ++i) {
      std::string inner = name.empty() ? std::to_string(i) : fmt::format("{}.{}", name, i);
      absl::Status status = FillExpected(members, inner, expected.tuple_elements()[i]);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (!expected.shape().IsArray()) return absl::OkStatus();
  std::string number = name.empty() ? "0" : name;
  for (const auto& [member, bytes] : members) {
    if (member != number && member != "arr_" + number && members.size() != 1) continue;
    absl::StatusOr<Literal> literal = DecodeNpy(bytes, &expected.shape());
    if (literal.ok()) expected = *std::move(literal);
    return literal.status();
  }
  return absl::InvalidArgumentError(fmt::format("there is no member `{}`", number));
}

}  // namespace

ProgramRunner::ProgramRunner(Session& session, const RunOptions& options)
    : session_(session), options_(options) {}

std::optional<Module> ProgramRunner::Load(const std::shared_ptr<const SourceText>& source) {
  DiagnosticSink sink(source);
  std::optional<Module> module = ParseModule(source, sink);
  if (module && CheckShapes(*module, sink)) {
    absl::StatusOr<int64_t> count =
        FillElidedConstants(*module, options_.input.fake, options_.input.seed);
    if (!count.ok()) {
      sink.Error("run.memory", module->name_range(), "{}", std::string(count.status().message()));
      module.reset();
    } else if (*count > 0) {
      sink.Warning("run.elided-constants", module->name_range(),
                   "{} constant{} written `{{...}}`: {} get generated values", *count,
                   *count == 1 ? " is" : "s are", *count == 1 ? "it" : "they");
    }
  } else {
    module.reset();
  }
  session_.Report(sink.diagnostics());
  return module;
}

bool ProgramRunner::FitsMemory(const Plan& plan, DiagnosticSink& sink) const {
  int64_t limit = options_.max_memory > 0
                      ? static_cast<int64_t>(std::min<uint64_t>(options_.max_memory, INT64_MAX))
                      : DefaultMemoryLimit();
  double need = static_cast<double>(plan.arena_byte_size()) +
                static_cast<double>(plan.argument_byte_size()) +
                static_cast<double>(plan.constant_byte_size());
  if (need <= static_cast<double>(limit)) return true;
  const Module& module = plan.module();
  sink.Error("run.memory", module.name_range(),
             "the run takes {} ({} for intermediate values, {} for inputs, {} for constants), the "
             "limit is {}",
             SizeText(static_cast<int64_t>(std::min(need, 9e18))), SizeText(plan.arena_byte_size()),
             SizeText(plan.argument_byte_size()), SizeText(plan.constant_byte_size()),
             SizeText(limit));
  std::vector<const Buffer*> largest;
  for (const Buffer& buffer : plan.buffers()) {
    if (!buffer.shares.valid()) largest.push_back(&buffer);
  }
  constexpr size_t kShown = 5;
  size_t shown = std::min(kShown, largest.size());
  std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(shown),
                    largest.end(),
                    [](const Buffer* a, const Buffer* b) { return a->byte_size > b->byte_size; });
  for (size_t i = 0; i < shown; ++i) {
    const Instruction& instruction = module.instruction(largest[i]->instruction);
    sink.Note(instruction.name_range, "`{}` takes {}", instruction.name,
              SizeText(largest[i]->byte_size));
  }
  return false;
}

void ProgramRunner::ReportStop(const Module& module, InstructionId at, const absl::Status& status,
                               DiagnosticSink& sink) {
  std::string message(status.message());
  if (!at.valid()) {
    sink.Error("run.failed", module.name_range(), "{}", message);
    return;
  }
  const Instruction& instruction = module.instruction(at);
  if (absl::IsCancelled(status)) {
    sink.Error("run.interrupted", instruction.opcode_range, "interrupted before `{}`",
               instruction.name);
  } else if (absl::IsUnimplemented(status)) {
    sink.Error("run.not-implemented", instruction.opcode_range, "{}", message);
  } else {
    sink.Error("run.failed", instruction.opcode_range, "`{}`: {}", instruction.name, message);
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

std::optional<Literal> ProgramRunner::Execute(const Plan& plan,
                                              const std::vector<Literal>& arguments,
                                              DiagnosticSink& sink) {
  const Module& module = plan.module();
  ObserverList observers;
  std::optional<Tracer> tracer;
  if (options_.trace) {
    tracer.emplace(module, *options_.trace, [&](std::string_view line) { session_.Write(line); });
    observers.Add(&*tracer);
  }
  std::optional<FirstNanFinder> nan_finder;
  if (options_.first_nan) observers.Add(&nan_finder.emplace(module));
  std::deque<Dumper> dumpers;
  for (const std::string& dump : options_.dumps) {
    size_t colon = dump.rfind(':');
    std::string directory = dump.substr(colon + 1);
    mkdir(directory.c_str(), 0777);
    observers.Add(&dumpers.emplace_back(module, dump.substr(0, colon), directory));
  }
  std::optional<Profiler> profiler;
  if (options_.profile || !options_.profile_out.empty()) {
    observers.Add(&profiler.emplace(module, !options_.profile_out.empty()));
  }

  DeviceContext device;
  device.set_seed(options_.input.seed);
  device.set_max_iterations(options_.max_iterations);
  for (const std::string& library : options_.custom_call_libraries) {
    absl::Status status = RegisterLibraryTargets(library, module, device.custom_calls());
    if (!status.ok()) {
      session_.ReportEnvironment(status);
      return std::nullopt;
    }
  }
  absl::StatusOr<std::unique_ptr<Executor>> executor =
      Executor::Create(plan, device, observers.empty() ? nullptr : &observers);
  if (!executor.ok()) {
    ReportStop(module, InstructionId(), executor.status(), sink);
    return std::nullopt;
  }
  InterruptScope interrupt(device);
  std::vector<double> seconds;
  absl::Status status;
  for (int64_t i = 0; i < options_.repeat && status.ok(); ++i) {
    auto start = std::chrono::steady_clock::now();
    status = (*executor)->Run(arguments);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  if (options_.repeat > 1 && status.ok()) PrintTimes(seconds);
  if (options_.profile) session_.Write(profiler->Text(40));
  if (!options_.profile_out.empty()) {
    absl::Status written = WriteFileAtomically(options_.profile_out, profiler->ChromeTrace());
    if (!written.ok()) session_.ReportEnvironment(written);
  }
  if (!status.ok()) {
    ReportStop(module, (*executor)->stopped_at(), status, sink);
    if (nan_finder && nan_finder->found() && !options_.repro_out.empty()) {
      WriteRepro(module, *nan_finder);
    }
    return std::nullopt;
  }
  absl::StatusOr<Literal> result = (*executor)->Result();
  if (result.ok()) return *std::move(result);
  ReportStop(module, InstructionId(), result.status(), sink);
  return std::nullopt;
}

void ProgramRunner::WriteRepro(const Module& module, const FirstNanFinder& finder) {
  constexpr int64_t kMaxConstantElements = 4096;
  std::vector<std::pair<std::string, const Literal*>> parameters;
  std::string text =
      ReproText(module, finder.instruction(), finder.operands(), kMaxConstantElements, parameters,
                [](const Literal& literal) { return PrintLiteral(literal); });
  absl::Status status;
  if (!parameters.empty()) {
    NpzMembers members;
    for (const auto& [name, literal] : parameters) {
      status.Update(AppendMembers(*literal, name, members));
    }
    std::string archive = options_.repro_out + ".npz";
    status.Update(WriteFileAtomically(archive, EncodeZip(members)));
    text = fmt::format("// Run with --inputs=@{}\n{}", archive, text);
  }
  status.Update(WriteFileAtomically(options_.repro_out, text));
  if (!status.ok()) session_.ReportEnvironment(status);
}

bool ProgramRunner::Compare(const Literal& result, const Literal& expected) {
  bool ok = true;
  int64_t reported = 0;
  for (const ArrayComparison& comparison : CompareLiterals(result, expected, options_.tolerance)) {
    if (comparison.matches()) continue;
    ok = false;
    if (reported++ < options_.max_report) session_.Write(ComparisonText(comparison));
  }
  if (!ok) session_.AddFinding();
  return ok;
}

void ProgramRunner::CompareWithFile(const Literal& result) {
  std::string path = options_.expect;
  if (path.starts_with('@')) path.erase(0, 1);
  absl::StatusOr<std::string> bytes = ReadWholeFile(path);
  if (!bytes.ok()) return session_.ReportEnvironment(bytes.status());
  NpzMembers members = {{"0", *bytes}};
  if (!path.ends_with(".npy")) {
    absl::StatusOr<NpzMembers> decoded = DecodeZip(*bytes);
    if (!decoded.ok()) return session_.ReportEnvironment(decoded.status());
    members = *std::move(decoded);
  }
  Literal expected = result;
  absl::Status status = FillExpected(members, "", expected);
  if (!status.ok()) {
    return session_.ReportEnvironment(fmt::format("{}: {}", path, std::string(status.message())));
  }
  if (Compare(result, expected)) session_.Note(fmt::format("matches {}", path));
}

void ProgramRunner::CompareWithBackend(const Module& module, const Literal& result,
                                       const std::vector<Literal>& arguments,
                                       DiagnosticSink& sink) {
  PlanOptions plan_options = {.backend = FindBackend(options_.reference_backend)};
  std::optional<Plan> plan = MakePlan(module, sink, plan_options);
  if (!plan) return;
  std::optional<Literal> expected = Execute(*plan, arguments, sink);
  if (expected && Compare(result, *expected)) {
    session_.Note(fmt::format("matches backend {}", options_.reference_backend));
  }
}

void ProgramRunner::Run(const std::shared_ptr<const SourceText>& source) {
  std::optional<Module> module = Load(source);
  if (!module) return;
  DiagnosticSink sink(source);
  RunLoaded(*module, sink);
  session_.Report(sink.diagnostics());
}

void ProgramRunner::RunLoaded(const Module& module, DiagnosticSink& sink) {
  std::optional<Plan> plan = MakePlan(module, sink, {.backend = FindBackend(options_.backend)});
  if (!plan) return;
  if (options_.print_plan) return session_.Write(PlanText(*plan));
  if (!FitsMemory(*plan, sink)) return;
  absl::StatusOr<std::optional<std::vector<Literal>>> inputs =
      MakeInputs(module, options_.input, sink);
  if (!inputs.ok()) return session_.ReportEnvironment(inputs.status());
  if (!*inputs) return;
  const std::vector<Literal>& arguments = **inputs;
  if (options_.print_literals) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      session_.Write(
          fmt::format("input {}: {}\n", i, PrintResultLiteral(arguments[i], options_.max_print)));
    }
  }
  std::optional<Literal> result = Execute(*plan, arguments, sink);
  if (!result) return;
  session_.Write(PrintResultLiteral(*result, options_.max_print) + "\n");
  for (const std::string& output : options_.outputs) {
    absl::Status status = WriteOutput(*result, output);
    if (!status.ok()) session_.ReportEnvironment(status);
  }
  if (!options_.expect.empty()) CompareWithFile(*result);
  if (!options_.reference_backend.empty()) CompareWithBackend(module, *result, arguments, sink);
}

}  // namespace hlo::tools
