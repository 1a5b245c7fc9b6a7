// Programs on several participants: everybody's inputs, queues and results. What is the same for
// all is read, kept and printed once.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>

#include "printer/printer.h"
#include "support/render_diagnostic.h"
#include "support/status_macros.h"
#include "tools/interrupt_scope.h"
#include "tools/run_program.h"
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

std::optional<ProgramRunner::Results> ProgramRunner::ExecuteOnParticipants(
    const Plan& plan, ReplicaRun& run, std::span<const std::vector<const Literal*>> arguments,
    std::span<const HostFeeds> feeds, std::span<StepObserver* const> observers,
    DiagnosticSink& sink) {
  const Module& module = *plan.module;
  run.set_timeout(options_.devices.timeout);
  const absl::Status started = run.Start(observers);
  if (!started.ok()) {
    ReportStop(module, InstructionId(), started, sink);
    return std::nullopt;
  }
  InterruptScope interrupt(run.device(0), options_.time_limit);
  std::vector<double> seconds;
  for (int64_t i = 0; i < options_.repeat; ++i) {
    for (ParticipantId id = 0; id < run.participant_count(); ++id) {
      feeds[feeds.size() == 1 ? 0 : static_cast<size_t>(id)].Fill(run.device(id));
      run.device(id).ResetRandomCounter();
    }
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = run.Run(arguments);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
    if (!status.ok()) {
      ReportFailure(module, run, sink);
      return std::nullopt;
    }
  }
  if (options_.repeat > 1) PrintTimes(seconds);
  Results results;
  for (ParticipantId id = 0; id < run.participant_count(); ++id) {
    absl::StatusOr<Literal> result = run.Result(id);
    if (!result.ok()) {
      ReportStop(module, InstructionId(), result.status(), sink);
      return std::nullopt;
    }
    results.push_back(*std::move(result));
  }
  return results;
}

void ProgramRunner::PrintInputs(const ParticipantInputs& inputs, const DeviceCounts& counts) {
  const auto& lists = inputs.by_participant;
  const bool all_share =
      std::ranges::all_of(lists, [&](const auto& list) { return list == lists.front(); });
  for (size_t id = 0; id < (all_share ? 1 : lists.size()); ++id) {
    const std::string whose =
        all_share ? "" : ParticipantText(static_cast<ParticipantId>(id), counts) + ", ";
    for (size_t i = 0; i < lists[id].size(); ++i) {
      session_.Write(fmt::format("{}input {}: {}\n", whose, i,
                                 PrintResultLiteral(*lists[id][i], options_.max_print)));
    }
  }
}

// What the program sent, and what it left.
void ProgramRunner::ReportFeeds(ReplicaRun& run) {
  const std::vector<int64_t> devices = DeviceNumbers(run.counts());
  for (ParticipantId id = 0; id < run.participant_count(); ++id) {
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

void ProgramRunner::PrintResults(const Module& module, const Results& results,
                                 const DeviceCounts& counts, DiagnosticSink& sink) {
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

void ProgramRunner::ReportResults(const Module& module, const Results& results,
                                  const DeviceCounts& counts, DiagnosticSink& sink) {
  PrintResults(module, results, counts, sink);
  const std::vector<int64_t> devices = DeviceNumbers(counts);
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

void ProgramRunner::CompareResults(const RunnableModule& runnable, const Results& results,
                                   const DeviceCounts& counts, const ParticipantInputs& inputs,
                                   std::span<const HostFeeds> feeds, DiagnosticSink& sink) {
  const std::vector<int64_t> devices = DeviceNumbers(counts);
  const auto compare_all = [&](auto compare) {
    for (size_t i = 0; i < results.size(); ++i) {
      whose_ = ParticipantText(static_cast<ParticipantId>(i), counts) + ": ";
      compare(i);
    }
    whose_.clear();
  };
  if (!options_.expect.empty()) {
    compare_all([&](size_t i) { CompareWithFile(results[i], devices[i]); });
  }
  if (options_.reference_backend.empty()) return;
  const std::optional<Plan> plan = MakePlan(runnable, sink, PlanWith(options_.reference_backend));
  if (!plan) return;
  ReplicaRun run(*plan, counts);
  for (ParticipantId id = 0; id < run.participant_count(); ++id) {
    const absl::Status prepared = PrepareDevice(runnable.module(), run.device(id));
    if (!prepared.ok()) return session_.ReportEnvironment(prepared);
  }
  const std::optional<Results> expected =
      ExecuteOnParticipants(*plan, run, inputs.by_participant, feeds, {}, sink);
  if (!expected) return;
  bool all_match = true;
  compare_all([&](size_t i) { all_match &= Compare(results[i], (*expected)[i]); });
  if (all_match) session_.Note(fmt::format("matches backend {}", options_.reference_backend));
}

void ProgramRunner::RunOnParticipants(const RunnableModule& runnable, const Plan& plan,
                                      const DeviceCounts& counts, DiagnosticSink& sink) {
  const Module& module = runnable.module();
  const std::vector<int64_t> devices = DeviceNumbers(counts);
  if (const int64_t count = counts.replicas * counts.partitions;
      static_cast<int64_t>(devices.size()) != count) {
    return session_.ReportEnvironment(fmt::format(
        "--device-assignment has {} devices for {} participants", devices.size(), count));
  }
  InputOptions input_options = options_.input;
  input_options.max_byte_size = FileLimit();
  const absl::StatusOr<std::optional<ParticipantInputs>> inputs =
      MakeParticipantInputs(module, input_options, devices, sink);
  if (!inputs.ok()) return session_.ReportEnvironment(inputs.status());
  std::vector<HostFeeds> feeds(options_.feeds.HasDevicePlaceholder() ? devices.size() : 1);
  for (size_t i = 0; i < feeds.size(); ++i) {
    FeedOptions feed_options = options_.feeds.OfDevice(devices[i]);
    feed_options.max_byte_size = FileLimit();
    const absl::Status read = feeds[i].Read(module, feed_options, sink);
    if (!read.ok()) return session_.ReportEnvironment(read);
    if (!feeds[i].ok()) return;
  }
  if (!*inputs) return;
  for (const std::string& note : (*inputs)->notes) session_.Note(note);
  if (options_.print_literals) PrintInputs(**inputs, counts);

  ReplicaRun run(plan, counts);
  std::deque<Inspection> inspections;
  std::vector<StepObserver*> observers;
  for (ParticipantId id = 0; id < run.participant_count(); ++id) {
    const absl::Status prepared = PrepareDevice(module, run.device(id));
    if (!prepared.ok()) return session_.ReportEnvironment(prepared);
    Inspection& inspection =
        inspections.emplace_back(plan, (*inputs)->by_participant[static_cast<size_t>(id)],
                                 options_.inspection.OfDevice(devices[static_cast<size_t>(id)]),
                                 session_, threads_, ParticipantText(id, counts));
    const absl::Status directories = inspection.MakeDirectories();
    if (!directories.ok()) return session_.ReportEnvironment(directories);
    observers.push_back(inspection.observer());
  }
  const std::optional<Results> results =
      ExecuteOnParticipants(plan, run, (*inputs)->by_participant, feeds, observers, sink);
  for (size_t i = 0; i < inspections.size(); ++i) {
    if (results) inspections[i].CheckResult((*results)[i]);
    inspections[i].Finish(sink);
  }
  for (const MeshFailure::Note& note : run.notes()) session_.Note(note.text);
  ReportFeeds(run);
  if (!results) return;
  ReportResults(module, *results, counts, sink);
  CompareResults(runnable, *results, counts, **inputs, feeds, sink);
}

}  // namespace hlo::tools
