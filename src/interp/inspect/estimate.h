// What a run of a plan will take, without running it.
#ifndef HLOKIT_INTERP_INSPECT_ESTIMATE_H_
#define HLOKIT_INTERP_INSPECT_ESTIMATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "interp/cost/cost.h"
#include "interp/plan/plan.h"
#include "interp/run_limits.h"

namespace hlo {

// Loops count as often as they run where that is known (TripCount of step_cost.h), else once; of a
// conditional counts the branch that costs most.
class Estimate {
 public:
  // Of a finished plan, which must outlive the object, on so many participants: memory is that of
  // all of them, operations and bytes are those of one.
  Estimate(const Plan& plan, int64_t participants);

  const Cost& total() const { return total_; }
  // The loops that do not say how often they run: they count as one iteration.
  const std::vector<InstructionId>& uncounted_loops() const { return uncounted_loops_; }

  // For reading, with the `limit` most expensive instructions.
  std::string Text(size_t limit) const;
  // One line: {"memory": {...}, "flops": N, "bytes": N, "instructions": [...]}; bytes and
  // operations are whole numbers.
  std::string Json(size_t limit) const;

 private:
  struct Row {
    InstructionId instruction;
    size_t block_size = 1;  // instructions that are one step
    double times = 0;       // that it runs
    Cost cost;              // of all of them
    bool is_uncounted_loop = false;
  };
  using Rows = std::vector<Row>;

  void AddRegion(const Region& region, double times, Rows& rows);
  void AddLoop(const Step& loop, double times, Rows& rows);
  void AddConditional(const Step& conditional, double times, Rows& rows);
  std::string MemoryLine() const;

  const Plan& plan_;
  MemoryNeeds memory_;
  Rows rows_;  // most expensive first
  Cost total_;
  std::vector<InstructionId> uncounted_loops_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_ESTIMATE_H_
