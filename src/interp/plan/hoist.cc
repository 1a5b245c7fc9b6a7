// Pass hoist: steps of a loop that compute the same in every iteration are done once, before the
// loop.
#include <algorithm>
#include <utility>
#include <vector>

#include "interp/plan/passes.h"
#include "interp/plan/purity.h"

namespace hlo {
namespace {

// Larger results would be held for the whole loop.
constexpr int64_t kMaxHoistedByteSize = int64_t{256} << 20;

bool MayLeaveLoops(const Instruction& instruction) {
  return IsPureAndCheap(instruction) && !instruction.shape->HasDynamicDim();
}

class Hoister {
 public:
  explicit Hoister(Plan& plan) : plan_(plan) {}

  void Run() {
    VisitRegion(*plan_.entry);
    for (const auto& [buffer, depth] : carried_) {
      int32_t& loops = plan_.buffer(buffer).loops;
      loops = std::max(loops, depth);
    }
  }

 private:
  // The loops around a step are numbered from 1, outermost first; 0 is outside of all.
  int64_t depth() const { return std::ssize(before_loops_); }

  void VisitRegion(Region& region) {
    for (SlotId parameter : region.parameters) SetDepth(parameter, depth());
    std::vector<Step> steps = std::exchange(region.steps, {});
    region.steps.reserve(steps.size());
    for (Step& step : steps) VisitStep(step, region.steps);
  }

  // Puts `step` behind `steps`, or before a loop that these are in.
  void VisitStep(Step& step, std::vector<Step>& steps) {
    switch (step.kind) {
      case StepKind::kKernel:
        VisitFenced(step);
        Place(step, steps);
        return;
      case StepKind::kConditional:
        VisitFenced(step);
        break;
      case StepKind::kWhile:
        VisitLoop(step, steps);
        break;
    }
    SetDepths(step, depth());
    steps.push_back(std::move(step));
  }

  // Nothing leaves branches, which may not be taken, and functions, whose steps are cheap.
  void VisitFenced(Step& step) {
    const int64_t outer = std::exchange(fence_, depth());
    for (auto& region : step.regions) VisitRegion(*region);
    fence_ = outer;
  }

  // The state of a loop changes inside it although it is defined outside.
  void VisitLoop(Step& loop, std::vector<Step>& steps) {
    before_loops_.push_back(&steps);
    SetDepths(loop, depth());
    for (auto& region : loop.regions) VisitRegion(*region);
    for (SlotId result : loop.results) {
      carried_.emplace_back(plan_.slot(result).buffer, static_cast<int32_t>(depth()));
    }
    before_loops_.pop_back();
  }

  void Place(Step& step, std::vector<Step>& steps) {
    const int64_t kept = LoopsAround(step);
    SetDepths(step, kept);
    std::vector<Step>& target = kept < depth() ? *before_loops_[static_cast<size_t>(kept)] : steps;
    target.push_back(std::move(step));
  }

  // How many of the loops around it `step` must stay in.
  int64_t LoopsAround(const Step& step) const {
    if (depth() == fence_ || !MayLeaveLoops(plan_.instruction(step))) return depth();
    int64_t byte_size = 0;
    for (SlotId result : step.results) {
      byte_size = std::min(byte_size + plan_.slot(result).byte_size, kMaxHoistedByteSize + 1);
    }
    if (byte_size > kMaxHoistedByteSize) return depth();
    int64_t kept = fence_;
    for (SlotId operand : step.operands) {
      if (plan_.slot(operand).is_dynamic) return depth();
      kept = std::max<int64_t>(kept, plan_.buffer_of(operand).loops);
    }
    return kept;
  }

  void SetDepth(SlotId slot, int64_t depth) {
    plan_.buffer(plan_.slot(slot).buffer).loops = static_cast<int32_t>(depth);
  }
  void SetDepths(const Step& step, int64_t depth) {
    for (SlotId result : step.results) SetDepth(result, depth);
  }

  Plan& plan_;
  std::vector<std::vector<Step>*> before_loops_;  // by open loop: the steps before it
  int64_t fence_ = 0;                             // loops that nothing may leave just now
  // What loops carry, which each iteration writes anew, and how deep in loops that is.
  std::vector<std::pair<BufferId, int32_t>> carried_;
};

}  // namespace

bool HoistSteps(Plan& plan, const PassContext&) {
  Hoister(plan).Run();
  return true;
}

}  // namespace hlo
