// Pass keep: products in loops that leave one of their operands as it is may be prepared once for
// the loop, and keep what they make of it: weights that recurrent layers multiply in every step,
// and sampling loops in every round, are packed once.
#include <algorithm>
#include <optional>
#include <vector>

#include "interp/plan/passes.h"

namespace hlo {
namespace {

// Of such operands, which lie in memory twice then.
constexpr int64_t kMostKeptByteSize = int64_t{1} << 30;
constexpr int64_t kLeastKeptByteSize = 4096;  // others are packed in no time
// Iterations that repay it: of a loop that begins once, and of one that begins again and again.
constexpr int64_t kFewIterations = 4;
constexpr int64_t kFewInnerIterations = 16;
constexpr int64_t kMostLoops = 8;  // around a step, that are looked at, outermost first

class Keeper {
 public:
  explicit Keeper(Plan& plan) : plan_(plan) {}

  void Visit(Region& region) {
    for (Step& step : region.steps) {
      const bool is_loop = step.kind == StepKind::kWhile;
      const bool is_product = step.kind == StepKind::kKernel &&
                              GetOpcodeInfo(step.opcode).family == OpcodeFamily::kContraction;
      if (is_product) step.kept_loop = LoopToKeepIn(step);
      if (is_loop) loops_.push_back(&step);
      for (const auto& nested : step.regions) Visit(*nested);
      if (is_loop) loops_.pop_back();
    }
  }

 private:
  // The outermost loop that leaves an operand as it is, which is not so everywhere anyway; 0: none.
  uint8_t LoopToKeepIn(const Step& step) {
    const int64_t most = std::min(std::ssize(loops_), kMostLoops);
    for (int64_t loop = 1; loop <= most; ++loop) {
      int64_t byte_size = 0;
      for (SlotId operand : step.operands) {
        const bool is_kept = plan_.is_fixed(operand, loop) && !plan_.is_fixed(operand);
        if (is_kept) byte_size += std::min(plan_.slot(operand).byte_size, kMostKeptByteSize);
      }
      if (byte_size < kLeastKeptByteSize || byte_size > left_ || !Repays(loop)) continue;
      left_ -= byte_size;
      return static_cast<uint8_t>(loop);
    }
    return 0;
  }

  // Of how often most loops run nobody knows.
  bool Repays(int64_t loop) const {
    const std::optional<int64_t> trips = loops_[static_cast<size_t>(loop - 1)]->trip_count;
    return loop == 1 ? trips.value_or(kFewIterations) >= kFewIterations
                     : trips.value_or(0) >= kFewInnerIterations;
  }

  Plan& plan_;
  std::vector<const Step*> loops_;  // around the step, outermost first
  int64_t left_ = kMostKeptByteSize;
};

}  // namespace

bool KeepOperands(Plan& plan, const PassContext&) {
  if (plan.keeps_in_loops) Keeper(plan).Visit(*plan.entry);
  return true;
}

}  // namespace hlo
