// Looking inside a run: traces, dumps, the first NaN, profiles.
#ifndef HLOKIT_TOOLS_RUN_INSPECTION_H_
#define HLOKIT_TOOLS_RUN_INSPECTION_H_

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "interp/inspect/dump.h"
#include "interp/inspect/first_nan.h"
#include "interp/inspect/inspect.h"
#include "interp/inspect/profile.h"
#include "interp/simd/machine_limits.h"
#include "ir/module.h"
#include "support/thread_pool.h"
#include "tools/tool.h"

namespace hlo::tools {

struct InspectionOptions {
  std::optional<std::string> trace;      // a pattern of instruction names
  std::optional<std::string> first_nan;  // "nan", or "inf": infinities too
  std::string repro_out;
  std::vector<std::string> dumps;  // REGEX:DIR
  bool profile = false;
  std::string profile_out;
  // Of one of several participants whose traces are written together.
  bool joins_traces = false;

  // The same where there are several participants: each has files of its own.
  InspectionOptions OfDevice(int64_t device) const;
  // Whether several participants have one trace.
  bool JoinsTraces() const;
  // Whether single instructions are looked at: then steps must be such.
  bool WatchesInstructions() const { return trace || first_nan || !dumps.empty(); }
};

class Inspection {
 public:
  // `plan`, `arguments` and `session` must outlive the object. With --profile the machine is
  // measured on `threads`. `whose` is the participant that is looked at, where there are several:
  // what it does is written when it is over.
  Inspection(const Plan& plan, std::span<const Literal* const> arguments,
             const InspectionOptions& options, Session& session, ThreadPool& threads,
             std::string whose = "");

  // Makes the directories of the dumps. Fails with kUnavailable.
  absl::Status MakeDirectories() const;

  // What the executor is to report to; null when nobody wants to know.
  StepObserver* observer() { return observers_.empty() ? nullptr : &observers_; }

  // Looks at the result of a run that went to its end.
  void CheckResult(const Literal& result);

  // Null: nobody asked for a profile or trace.
  const Profiler* profiler() const { return profiler_ ? &*profiler_ : nullptr; }

  // Writes and reports what was found once the run is over.
  void Finish(DiagnosticSink& sink);

 private:
  absl::Status WriteRepro() const;
  void NoteNothingFound();

  const Module& module_;
  const InspectionOptions options_;
  Session& session_;
  const std::string whose_;
  std::string traced_;
  ObserverList observers_;
  bool has_result_ = false;
  std::optional<Tracer> tracer_;
  std::optional<FirstNanFinder> nan_finder_;
  std::deque<Dumper> dumpers_;
  std::optional<Profiler> profiler_;
  simd::MachineLimits machine_;
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_INSPECTION_H_
