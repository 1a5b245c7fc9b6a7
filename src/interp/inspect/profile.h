// Where the time of a run goes.
#ifndef HLOKIT_INTERP_INSPECT_PROFILE_H_
#define HLOKIT_INTERP_INSPECT_PROFILE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/executor.h"

namespace hlo {

class Profiler final : public StepObserver {
 public:
  // `keep_events` is for the Chrome trace.
  Profiler(const Module& module, bool keep_events) : module_(module), keep_events_(keep_events) {}

  void BeforeStep(const Step& step, const Evaluation& evaluation) override;
  absl::Status AfterStep(const Step& step, const Evaluation& evaluation) override;

  // Tables by instruction (the `limit` most expensive) and by opcode. The time of a loop or
  // conditional is that of its own bookkeeping; bytes are those of operands and results.
  std::string Text(size_t limit) const;
  // The JSON that chrome://tracing and Perfetto read.
  std::string ChromeTrace() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    Clock::time_point start;
    double nested_seconds;
  };
  struct Total {
    int64_t count = 0;
    int64_t byte_size = 0;
    double seconds = 0;
  };
  struct Event {
    InstructionId instruction;
    double start;  // seconds from the first step
    double seconds;
  };

  const Module& module_;
  bool keep_events_;
  std::vector<Open> open_;
  absl::flat_hash_map<InstructionId, Total> totals_;
  std::vector<Event> events_;
  Clock::time_point first_ = {};
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_PROFILE_H_
