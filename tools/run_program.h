// Runs one program as hlo-run's options say.
#ifndef HLOKIT_TOOLS_RUN_PROGRAM_H_
#define HLOKIT_TOOLS_RUN_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/backends.h"
#include "interp/inspect/extract.h"
#include "interp/make_plan.h"
#include "interp/replica/replica_run.h"
#include "tools/processes.h"
#include "tools/run_feeds.h"
#include "tools/run_inputs.h"
#include "tools/run_inspection.h"
#include "tools/tool.h"
#include "values/compare.h"
#include "values/memory_text.h"
#include "values/value_files.h"

namespace hlo::tools {

// Who runs a program.
struct DeviceOptions {
  std::optional<int64_t> replicas;
  std::optional<int64_t> partitions;
  std::vector<int64_t> assignment;  // the device of each participant; empty: its own number
  // Seconds after which waiting ends a run; 0: never; nothing: never, and a note says who waits.
  std::optional<double> timeout;
  std::string transport = "threads";
};

struct RunOptions {
  InputOptions input;
  DeviceOptions devices;
  FeedOptions feeds;
  std::string backend = std::string(Backends().front().name);
  int64_t threads = 0;          // 0: as many as there are processors
  std::string isa;              // the instruction set of the vector kernels; empty: the best
  std::string onednn = "auto";  // which steps are left to it: auto, never, always
  std::string print_plan;       // the pass after which; empty: the plan is run
  std::string estimate;         // text or json, instead of running; empty: the plan is run
  bool print_literals = false;
  int64_t repeat = 1;
  uint64_t max_memory = 0;  // bytes; 0: 90 % of the machine's
  int64_t max_iterations = -1;
  int64_t max_work = -1;  // element operations
  double time_limit = 0;  // seconds of executing; 0: none
  std::vector<std::string> custom_call_libraries;
  std::string only;  // a pattern of names: what is run instead of the whole
  CollectiveLimits only_limits = {.participants = 0, .dimension = 0};  // 0: as it is
  std::string unknown_custom_calls = "error";                          // or zeros
  int64_t max_print = 0;  // elements of an array that are printed in full; 0: all
  std::optional<MemoryTextOptions> print_memory;
  bool print_json = false;  // the result, instead of as text
  std::vector<std::string> outputs;
  bool joins_results = false;  // --unshard-outputs
  bool upcast = false;         // in `outputs`, floats that numpy does not know as f32
  std::string expect;
  std::string reference_backend;
  ToleranceOverrides tolerance;
  int64_t max_report = 5;
  InspectionOptions inspection;
};

// Texts, plans and files of so many bytes are in order whatever --max-memory says.
inline constexpr int64_t kFreeByteSize = int64_t{64} << 20;

class ProgramRunner {
 public:
  ProgramRunner(Session& session, const RunOptions& options, Processes& processes);

  // Parses, verifies, plans, runs, prints and compares. Whatever is wrong is reported to the
  // session. `heading` stands before the result; empty: there is just one.
  void Run(const std::shared_ptr<const SourceText>& source, std::string heading = "");

 private:
  // The option that writes a file of which there is one, not one a program; empty: there is none.
  std::string SingleFileOption() const;
  std::optional<Module> Load(const std::shared_ptr<const SourceText>& source);
  int64_t MemoryLimit() const;  // bytes
  uint64_t FileLimit() const;   // of texts, plans and files
  PlanOptions PlanWith(const std::string& backend) const;
  // Runs `plan` (several times where asked to). Nothing is returned when it failed, which is then
  // reported.
  std::optional<Literal> Execute(const Plan& plan, const std::vector<Literal>& arguments,
                                 const HostFeeds& feeds, DeviceContext& device,
                                 StepObserver* observer, DiagnosticSink& sink);
  // The part of Execute that can be interrupted and shows how far it is; false: it failed.
  bool RunOften(const Plan& plan, Executor& executor, const std::vector<Literal>& arguments,
                const HostFeeds& feeds, DeviceContext& device, DiagnosticSink& sink);
  absl::Status PrepareDevice(const Module& module, DeviceContext& device);
  // `whose` is the participant it happened to, where there are several.
  void ReportStop(const Module& module, InstructionId at, const absl::Status& status,
                  DiagnosticSink& sink, std::string_view whose = "");
  void PrintTimes(const std::vector<double>& seconds);
  void RunParsed(Module& module, DiagnosticSink& sink);
  // Runs the instructions and computations whose names match --only, each as a program.
  void RunParts(const Module& module, DiagnosticSink& sink);
  absl::StatusOr<Module> ExtractPart(const Module& module, InstructionId id,
                                     std::string* how) const;
  void RunPart(const Module& part, const std::string& name);
  void RunVerified(const RunnableModule& runnable, const DeviceCounts& counts,
                   DiagnosticSink& sink);
  void PrintEstimate(const Plan& plan, const DeviceCounts& counts);
  void RunPlan(const RunnableModule& runnable, const Plan& plan,
               const std::vector<Literal>& arguments, const HostFeeds& feeds, DiagnosticSink& sink);
  // How many participants run it: what options say, the module's header, or the smallest grid that
  // its collectives need, which is said. Nothing when there are too many, or too few.
  // (run_counts.cc)
  std::optional<DeviceCounts> CountParticipants(const Module& module, DiagnosticSink& sink);
  std::string LackText(const Module& module, const DeviceCounts& counts) const;
  void NoteOpenGroup(const Module& module);
  void ReportFeeds(const DeviceContext& device);
  std::string ResultText(const Literal& result) const;
  void ReportResult(const Module& module, const Literal& result, DiagnosticSink& sink);
  void PrintResult(const Module& module, const Literal& result, DiagnosticSink& sink);
  void WriteOutput(const Literal& result, const std::string& output);
  absl::Status TryWriteOutput(const Literal& result, const std::string& output) const;
  void PrintMemory(const Module& module, const Literal& result, DiagnosticSink& sink);
  bool Compare(const Literal& result, const Literal& expected);
  void CompareWithFile(const Literal& result, int64_t device = 0);
  void CompareWithBackend(const RunnableModule& runnable, const Literal& result,
                          const std::vector<Literal>& arguments, const HostFeeds& feeds,
                          DiagnosticSink& sink);

  // --- Several participants (run_on_participants.cc). Results are of this process's, by
  // participant, until they are gathered.
  using Results = std::vector<Literal>;
  // What the participants of this process run on, and who looks at them.
  struct ParticipantSetup {
    ParticipantInputs inputs;
    std::vector<HostFeeds> feeds;  // one, everybody's, or by participant
    std::deque<Inspection> inspections;
    std::vector<StepObserver*> observers;
  };
  bool PrepareDevices(const Module& module, ReplicaRun& run);
  void LimitWaiting(const Module& module, ReplicaRun& run);
  bool SetUp(const Module& module, ReplicaRun& run, ParticipantSetup& setup, const Plan& plan,
             DiagnosticSink& sink);
  void RunOnParticipants(const RunnableModule& runnable, const Plan& plan,
                         const DeviceCounts& counts, DiagnosticSink& sink);
  std::optional<Results> ExecuteOnParticipants(
      const Plan& plan, ReplicaRun& run, std::span<const std::vector<const Literal*>> arguments,
      std::span<const HostFeeds> feeds, std::span<StepObserver* const> observers,
      DiagnosticSink& sink);
  // The number of the device that each participant runs on.
  std::vector<int64_t> DeviceNumbers(const DeviceCounts& counts) const;
  void ReportFailure(const Module& module, const ReplicaRun& run, DiagnosticSink& sink);
  void PrintInputs(const ParticipantInputs& inputs, const ReplicaRun& run);
  void ReportFeeds(ReplicaRun& run);
  void ReportTraffic(const Module& module, const ParticipantSetup& setup, const ReplicaRun& run);
  void WriteJoinedTrace(const ParticipantSetup& setup, const ReplicaRun& run);
  // Whose results are shown: participants', or replicas', which have whole ones.
  struct Shown {
    Results results;
    DeviceCounts counts;
    std::vector<int64_t> devices;
  };
  std::optional<Shown> ShownOf(const Module& module, Results results, const DeviceCounts& counts,
                               DiagnosticSink& sink);
  void ReportResults(const Module& module, const Shown& shown, DiagnosticSink& sink);
  void PrintResults(const Module& module, const Shown& shown, DiagnosticSink& sink);
  // The same for the reference backend, in all processes. Nothing when that failed.
  std::optional<Results> ReferenceResults(const RunnableModule& runnable,
                                          const DeviceCounts& counts, const ParticipantSetup& setup,
                                          DiagnosticSink& sink);
  void CompareResults(const Shown& shown, const std::optional<Shown>& expected);
  std::optional<Results> Gathered(Results own, const ReplicaRun& run, const Module& module,
                                  DiagnosticSink& sink);

  Session& session_;
  const RunOptions& options_;
  Processes& processes_;
  ThreadPool threads_;
  std::string whose_;     // the participant whose results are compared, where there are several
  bool is_part_ = false;  // what runs is a part that --only asked for
  bool has_run_ = false;
  std::string heading_;  // of the program that runs
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_PROGRAM_H_
