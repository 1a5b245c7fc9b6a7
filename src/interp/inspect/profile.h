// Where the time of a run goes.
#ifndef HLOKIT_INTERP_INSPECT_PROFILE_H_
#define HLOKIT_INTERP_INSPECT_PROFILE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/cost/cost.h"
#include "interp/executor.h"
#include "interp/inspect/collective_traffic.h"
#include "interp/simd/machine_limits.h"

namespace hlo {

class Profiler final : public StepObserver {
 public:
  // `keep_events` is for the Chrome trace. The plan must outlive the object.
  Profiler(const Plan& plan, bool keep_events) : plan_(plan), keep_events_(keep_events) {}

  void BeforeStep(const Step& step, const Evaluation& evaluation) override;
  void BeforeIteration(const Step& loop, int64_t iteration) override;
  absl::Status AfterStep(const Step& step, const Evaluation& evaluation) override;

  // Tables by opcode, by line of the program's source where metadata says these, and by instruction
  // (the `limit` most expensive of each). The time of a loop or conditional is that of its own
  // bookkeeping. Operations and bytes are those of cost.h; what a step takes at least by `machine`,
  // over its time, is its share of the limit.
  std::string Text(size_t limit, const simd::MachineLimits& machine) const;
  // What was brought to collectives.
  const std::vector<CollectiveTraffic>& traffic() const { return traffic_; }

  using Clock = std::chrono::steady_clock;
  bool has_steps() const { return first_ != Clock::time_point(); }
  Clock::time_point first_step() const { return first_; }
  // The steps as events of a Chrome trace whose clock begins at `first`, in a row of their own.
  struct TraceRow {
    int64_t number = 1;
    std::string name;  // empty: it is the only one
  };
  std::string ChromeEvents(const TraceRow& row, Clock::time_point first) const;
  // How many steps are not among these: more than a viewer shows are not kept.
  int64_t left_out_count() const { return left_out_count_; }

 private:
  struct Open {
    Clock::time_point start;
    double nested_seconds;
  };
  struct Total {
    int64_t count = 0;
    int64_t iterations = 0;  // of loops
    double seconds = 0;
  };
  struct Event {
    InstructionId instruction;
    double start;  // seconds from the first step
    double seconds;
  };
  struct Row {
    std::string name;
    int64_t count = 0;
    double seconds = 0;
    Cost cost;
    double least_seconds = 0;  // that the machine takes for it
  };

  // A row for each of the names that `name_of` gives the steps.
  std::vector<Row> RowsBy(const simd::MachineLimits& machine,
                          const std::function<std::string(const Step&)>& name_of) const;
  std::string InstructionText(const Step& step) const;
  std::string SourceLineText(const Step& step) const;
  Cost CostOfAll(const Step& step, const Total& total) const;

  const Plan& plan_;
  bool keep_events_;
  std::vector<Open> open_;
  absl::flat_hash_map<const Step*, Total> totals_;
  std::vector<Event> events_;
  int64_t left_out_count_ = 0;
  std::vector<CollectiveTraffic> traffic_;
  Clock::time_point first_ = {};
};

// The JSON that chrome://tracing and Perfetto read, of events of one or several rows.
std::string ChromeTrace(std::string_view events);

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_PROFILE_H_
