// Programs on several participants: everybody's inputs, queues and results. What is the same for
// all is read, kept and printed once.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>

#include "interp/make_plan.h"
#include "printer/printer.h"
#include "support/render_diagnostic.h"
#include "support/status_macros.h"
#include "tools/interrupt_scope.h"
#include "tools/run_program.h"
#include "tools/run_progress_line.h"
#include "tools/run_shards.h"
#include "values/value_files.h"
#include "values/value_json.h"

namespace hlo::tools {
namespace {

bool AllAgree(const std::vector<Literal>& results) {
  return std::ranges::all_of(results,
                             [&](const Literal& result) { return result == results.front(); });
}

}  // namespace

std::vector<int64_t> ProgramRunner::DeviceNumbers(const DeviceCounts& counts) const {
  if (!options_.devices.assignment.empty()) return options_.devices.assignment;
  std::vector<int64_t> numbers(static_cast<size_t>(counts.replicas * counts.partitions));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return numbers;
}

void ProgramRunner::ReportFailure(const Module& module, const ReplicaRun& run,
                                  DiagnosticSink& sink) {
  const MeshFailure& failure = *run.failure();
  const std::string whose =
      failure.participant ? ParticipantText(*failure.participant, run.counts()) : "";
  const int64_t errors_before = sink.error_count();
  ReportStop(module, failure.at, failure.status, sink, whose);
  if (sink.error_count() == errors_before) return;
  for (const MeshFailure::Note& note : failure.notes) {
    sink.Note(module.instruction(note.at).opcode_range, "{}", note.text);
  }
}

// A participant may well compute for an hour: what others wait for so long is said once, and ends
// the run only where that was asked for.
void ProgramRunner::LimitWaiting(const Module& module, ReplicaRun& run) {
  constexpr double kSecondsUntilNote = 10;
  if (options_.devices.timeout) return run.set_timeout(*options_.devices.timeout);
  run.NoteWaiting(kSecondsUntilNote, [&](const MeshFailure& waiting) {
    DiagnosticSink sink(module.source());
    const Instruction& first = module.instruction(waiting.at);
    sink.Report(Severity::kNote, std::string_view(), first.opcode_range,
                fmt::format("`{}`: {}; --collective-timeout=N ends such a run", first.name,
                            std::string(waiting.status.message())));
    for (const MeshFailure::Note& note : waiting.notes) {
      sink.Note(module.instruction(note.at).opcode_range, "{}", note.text);
    }
    session_.Report(sink);
  });
}

// Nothing: it failed, here or elsewhere.
std::optional<ProgramRunner::Results> ProgramRunner::ExecuteOnParticipants(
    const Plan& plan, ReplicaRun& run, std::span<const std::vector<const Literal*>> arguments,
    std::span<const HostFeeds> feeds, std::span<StepObserver* const> observers,
    DiagnosticSink& sink) {
  const Module& module = *plan.module;
  LimitWaiting(module, run);
  const bool has_started = processes_.Agree(sink, [&] {
    const absl::Status started = run.Start(observers);
    if (!started.ok()) ReportStop(module, InstructionId(), started, sink);
    return started.ok();
  });
  if (!has_started) return std::nullopt;
  const ParticipantId first = run.local().first;
  std::optional<InterruptScope::Run> interrupt;
  if (processes_.is_first()) interrupt.emplace(run.device(first), module, /*executor=*/nullptr);
  RunProgressLine line(plan, options_.repeat, [&] { return run.position(first); });
  const Progress::Source source(session_.progress(), [&] { return line.Text(); });
  std::vector<double> seconds;
  for (int64_t i = 0; i < options_.repeat; ++i) {
    line.BeginRun(i);
    for (ParticipantId id = run.local().first; id < run.local().end(); ++id) {
      feeds[feeds.size() == 1 ? 0 : run.local().IndexOf(id)].Fill(run.device(id));
      run.device(id).ResetRandomCounter();
    }
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = run.Run(arguments);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
    if (run.has_lost_process()) processes_.Abort(std::string(status.message()));
    if (!status.ok()) {
      ReportFailure(module, run, sink);
      return std::nullopt;
    }
  }
  if (options_.repeat > 1) PrintTimes(seconds);
  Results results;
  for (ParticipantId id = run.local().first; id < run.local().end(); ++id) {
    absl::StatusOr<Literal> result = run.Result(id);
    if (!result.ok()) {
      ReportStop(module, InstructionId(), result.status(), sink);
      processes_.Abort(std::string(result.status().message()));
      return std::nullopt;
    }
    results.push_back(*std::move(result));
  }
  return results;
}

// Everybody's, in the first process.
std::optional<ProgramRunner::Results> ProgramRunner::Gathered(Results own, const ReplicaRun& run,
                                                              const Module& module,
                                                              DiagnosticSink& sink) {
  absl::StatusOr<Results> all = processes_.Gather(
      std::move(own), *module.root(module.entry()).shape, run.participant_count());
  if (all.ok()) return *std::move(all);
  processes_.Abort(std::string(all.status().message()));
  ReportStop(module, InstructionId(), all.status(), sink);
  return std::nullopt;
}

void ProgramRunner::PrintInputs(const ParticipantInputs& inputs, const ReplicaRun& run) {
  const auto& lists = inputs.by_participant;
  const bool all_share = !inputs.is_everybodys_own;
  if (all_share && !processes_.is_first()) return;
  for (size_t k = 0; k < (all_share ? 1 : lists.size()); ++k) {
    const ParticipantId id = run.local().first + static_cast<ParticipantId>(k);
    const std::string whose = all_share ? "" : ParticipantText(id, run.counts()) + ", ";
    for (size_t i = 0; i < lists[k].size(); ++i) {
      session_.Write(fmt::format("{}input {}: {}\n", whose, i,
                                 PrintResultLiteral(*lists[k][i], options_.max_print)));
    }
  }
}

// What the program sent, and what it left.
void ProgramRunner::ReportFeeds(ReplicaRun& run) {
  const std::vector<int64_t> devices = DeviceNumbers(run.counts());
  for (ParticipantId id = run.local().first; id < run.local().end(); ++id) {
    const DeviceContext& device = run.device(id);
    const std::string whose = ParticipantText(id, run.counts());
    const std::string text = HostFeeds::Text(device, options_.max_print);
    if (!text.empty()) session_.Write(fmt::format("{}:\n{}", whose, text));
    FeedOptions options = options_.feeds;
    for (std::string* file : {&options.outfeed, &options.to_host}) {
      const bool is_shared = !file->empty() && !HasDevicePlaceholder(*file);
      if (is_shared && id == 0) {
        session_.ReportEnvironment(fmt::format(
            "{}: files of several participants need {} in their name", *file, kDevicePlaceholder));
      }
      if (is_shared) file->clear();
      *file = WithDevice(*file, devices[static_cast<size_t>(id)]);
    }
    const absl::Status written = HostFeeds::Write(device, options);
    if (!written.ok()) session_.ReportEnvironment(written);
    const std::string leftover = HostFeeds::LeftoverText(device);
    if (!leftover.empty()) session_.Note(fmt::format("{}: {}", whose, leftover));
  }
}

// What is shown of everybody's results: these, or with --unshard-outputs each replica's whole.
// Nothing when they do not fit together.
std::optional<ProgramRunner::Shown> ProgramRunner::ShownOf(const Module& module, Results results,
                                                           const DeviceCounts& counts,
                                                           DiagnosticSink& sink) {
  const std::vector<int64_t> devices = DeviceNumbers(counts);
  if (!options_.joins_results) return Shown{std::move(results), counts, devices};
  std::optional<Results> joined = JoinResults(module, results, counts, sink);
  if (!joined) return std::nullopt;
  Shown shown = {*std::move(joined), {.replicas = counts.replicas}, {}};
  for (int64_t r = 0; r < counts.replicas; ++r) {
    shown.devices.push_back(devices[static_cast<size_t>(r * counts.partitions)]);
  }
  return shown;
}

void ProgramRunner::PrintResults(const Module& module, const Shown& shown, DiagnosticSink& sink) {
  const auto& [results, counts, devices] = shown;
  if (AllAgree(results)) return PrintResult(module, results.front(), sink);
  if (!options_.print_json && !heading_.empty()) session_.Write(heading_ + ":\n");
  const std::string file =
      heading_.empty() ? "" : fmt::format("\"file\": \"{}\", ", EscapeJson(heading_));
  for (size_t i = 0; i < results.size(); ++i) {
    const auto id = static_cast<ParticipantId>(i);
    if (options_.print_json) {
      session_.Write(fmt::format(R"({{{}"replica": {}, "partition": {}, "result": {}}})"
                                 "\n",
                                 file, ReplicaOf(id, counts), PartitionOf(id, counts),
                                 ValueJson(results[i])));
    } else {
      session_.Write(fmt::format("{}: {}\n", ParticipantText(id, counts),
                                 PrintResultLiteral(results[i], options_.max_print)));
    }
    if (options_.print_memory) PrintMemory(module, results[i], sink);
  }
}

void ProgramRunner::ReportResults(const Module& module, const Shown& shown, DiagnosticSink& sink) {
  PrintResults(module, shown, sink);
  const auto& [results, counts, devices] = shown;
  const bool all_agree = AllAgree(results);
  for (const std::string& output : options_.outputs) {
    if (HasDevicePlaceholder(output)) {
      for (size_t i = 0; i < results.size(); ++i) {
        WriteOutput(results[i], WithDevice(output, devices[i]));
      }
    } else if (all_agree) {
      WriteOutput(results.front(), output);
    } else {
      session_.ReportEnvironment(fmt::format(
          "{}: not written, participants have different results and {} is not in its name", output,
          kDevicePlaceholder));
    }
  }
}

std::optional<ProgramRunner::Results> ProgramRunner::ReferenceResults(
    const RunnableModule& runnable, const DeviceCounts& counts, const ParticipantSetup& setup,
    DiagnosticSink& sink) {
  const Module& module = runnable.module();
  std::optional<Plan> plan;
  if (!processes_.Agree(sink, [&] {
        plan = MakePlan(runnable, sink, PlanWith(options_.reference_backend));
        return plan.has_value();
      })) {
    return std::nullopt;
  }
  ReplicaRun run(*plan, counts, processes_.group());
  if (!processes_.Agree(sink, [&] { return PrepareDevices(module, run); })) return std::nullopt;
  std::optional<Results> own =
      ExecuteOnParticipants(*plan, run, setup.inputs.by_participant, setup.feeds, {}, sink);
  if (!own) return std::nullopt;
  return Gathered(*std::move(own), run, module, sink);
}

void ProgramRunner::CompareResults(const Shown& shown, const std::optional<Shown>& expected) {
  const Results& results = shown.results;
  const auto compare_all = [&](auto compare) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (results.size() > 1) {
        whose_ = ParticipantText(static_cast<ParticipantId>(i), shown.counts) + ": ";
      }
      compare(i);
    }
    whose_.clear();
  };
  if (!options_.expect.empty()) {
    compare_all([&](size_t i) { CompareWithFile(shown.results[i], shown.devices[i]); });
  }
  if (!expected) return;
  bool all_match = true;
  compare_all([&](size_t i) { all_match &= Compare(shown.results[i], expected->results[i]); });
  if (all_match) session_.Note(fmt::format("matches backend {}", options_.reference_backend));
}

bool ProgramRunner::PrepareDevices(const Module& module, ReplicaRun& run) {
  for (ParticipantId id = run.local().first; id < run.local().end(); ++id) {
    const absl::Status prepared = PrepareDevice(module, run.device(id));
    if (prepared.ok()) continue;
    session_.ReportEnvironment(prepared);
    return false;
  }
  return true;
}

// Inputs and what looks at them, of this process's participants; false: something is wrong with
// them, which is reported.
bool ProgramRunner::SetUp(const Module& module, ReplicaRun& run, ParticipantSetup& setup,
                          const Plan& plan, DiagnosticSink& sink) {
  if (run.local().count == 0) return true;
  const std::vector<int64_t> all_devices = DeviceNumbers(run.counts());
  const auto devices =
      std::span(all_devices)
          .subspan(static_cast<size_t>(run.local().first), static_cast<size_t>(run.local().count));
  const auto fail = [&](const absl::Status& status) {
    session_.ReportEnvironment(status);
    return false;
  };
  InputOptions input_options = options_.input;
  input_options.max_byte_size = FileLimit();
  absl::StatusOr<std::optional<ParticipantInputs>> inputs =
      input_options.are_cut ? MakeCutInputs(module, input_options, run.counts(), run.local(), sink)
                            : MakeParticipantInputs(module, input_options, devices, sink);
  if (!inputs.ok()) return fail(inputs.status());
  setup.feeds.resize(options_.feeds.HasDevicePlaceholder() ? devices.size() : 1);
  for (size_t i = 0; i < setup.feeds.size(); ++i) {
    FeedOptions feed_options = options_.feeds.OfDevice(devices[i]);
    feed_options.max_byte_size = FileLimit();
    const absl::Status read = setup.feeds[i].Read(module, feed_options, sink);
    if (!read.ok()) return fail(read);
    if (!setup.feeds[i].ok()) return false;
  }
  if (!*inputs) return false;
  setup.inputs = **std::move(inputs);
  for (size_t i = 0; i < devices.size(); ++i) {
    const ParticipantId id = run.local().first + static_cast<ParticipantId>(i);
    Inspection& inspection = setup.inspections.emplace_back(
        plan, setup.inputs.by_participant[i], options_.inspection.OfDevice(devices[i]), session_,
        threads_, ParticipantText(id, run.counts()));
    const absl::Status directories = inspection.MakeDirectories();
    if (!directories.ok()) return fail(directories);
    setup.observers.push_back(inspection.observer());
  }
  return PrepareDevices(module, run);
}

void ProgramRunner::RunOnParticipants(const RunnableModule& runnable, const Plan& plan,
                                      const DeviceCounts& counts, DiagnosticSink& sink) {
  const Module& module = runnable.module();
  const size_t device_count = DeviceNumbers(counts).size();
  if (const int64_t count = counts.replicas * counts.partitions;
      static_cast<int64_t>(device_count) != count) {
    return session_.ReportEnvironment(
        fmt::format("--device-assignment has {} devices for {} participants", device_count, count));
  }
  ReplicaRun run(plan, counts, processes_.group());
  ParticipantSetup setup;
  if (!processes_.Agree(sink, [&] { return SetUp(module, run, setup, plan, sink); })) return;
  for (const std::string& note : setup.inputs.notes) session_.Note(note);
  if (options_.print_literals) {
    processes_.InTurn(sink, [&] { PrintInputs(setup.inputs, run); });
  }
  std::optional<Results> results = ExecuteOnParticipants(plan, run, setup.inputs.by_participant,
                                                         setup.feeds, setup.observers, sink);
  processes_.InTurn(sink, [&] {
    for (size_t i = 0; i < setup.inspections.size(); ++i) {
      if (results) setup.inspections[i].CheckResult((*results)[i]);
      setup.inspections[i].Finish(sink);
    }
  });
  if (options_.inspection.profile) ReportTraffic(module, setup, run);
  if (options_.inspection.JoinsTraces()) WriteJoinedTrace(setup, run);
  for (const MeshFailure::Note& note : run.notes()) session_.Note(note.text);
  processes_.InTurn(sink, [&] { ReportFeeds(run); });
  if (results) results = Gathered(*std::move(results), run, module, sink);
  if (!results) return;
  std::optional<Shown> shown;
  if (processes_.is_first()) shown = ShownOf(module, *std::move(results), counts, sink);
  if (shown) ReportResults(module, *shown, sink);
  std::optional<Results> expected;
  if (!options_.reference_backend.empty()) {
    expected = ReferenceResults(runnable, counts, setup, sink);
  }
  if (!shown) return;
  std::optional<Shown> expected_shown;
  if (expected) expected_shown = ShownOf(module, *std::move(expected), counts, sink);
  CompareResults(*shown, expected_shown);
}

}  // namespace hlo::tools
