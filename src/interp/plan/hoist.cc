// Pass hoist: steps of a loop that compute the same in every iteration are done once, before the
// loop.
#include <algorithm>

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
  explicit Hoister(Plan& plan) : plan_(plan), depths_(plan.buffers.size()) {}

  void Run() { VisitRegion(*plan_.entry); }

 private:
  // The loops around a step are numbered from 1, outermost first; 0 is outside of all.
  size_t depth() const { return before_loops_.size(); }

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
    const size_t outer = std::exchange(fence_, depth());
    for (auto& region : step.regions) VisitRegion(*region);
    fence_ = outer;
  }

  // The state of a loop changes inside it although it is defined outside.
  void VisitLoop(Step& loop, std::vector<Step>& steps) {
    before_loops_.push_back(&steps);
    SetDepths(loop, depth());
    for (auto& region : loop.regions) VisitRegion(*region);
    before_loops_.pop_back();
  }

  void Place(Step& step, std::vector<Step>& steps) {
    const size_t kept = LoopsAround(step);
    SetDepths(step, kept);
    std::vector<Step>& target = kept < depth() ? *before_loops_[kept] : steps;
    target.push_back(std::move(step));
  }

  // How many of the loops around it `step` must stay in.
  size_t LoopsAround(const Step& step) const {
    if (depth() == fence_ || !MayLeaveLoops(plan_.instruction(step))) return depth();
    int64_t byte_size = 0;
    for (SlotId result : step.results) {
      byte_size = std::min(byte_size + plan_.slot(result).byte_size, kMaxHoistedByteSize + 1);
    }
    if (byte_size > kMaxHoistedByteSize) return depth();
    size_t kept = fence_;
    for (SlotId operand : step.operands) {
      if (plan_.slot(operand).is_dynamic) return depth();
      kept = std::max(kept, depths_[plan_.slot(operand).buffer.value]);
    }
    return kept;
  }

  void SetDepth(SlotId slot, size_t depth) { depths_[plan_.slot(slot).buffer.value] = depth; }
  void SetDepths(const Step& step, size_t depth) {
    for (SlotId result : step.results) SetDepth(result, depth);
  }

  Plan& plan_;
  std::vector<size_t> depths_;                    // by buffer: the loops around its definition
  std::vector<std::vector<Step>*> before_loops_;  // by open loop: the steps before it
  size_t fence_ = 0;                              // loops that nothing may leave just now
};

}  // namespace

bool HoistSteps(Plan& plan, const PassContext&) {
  Hoister(plan).Run();
  return true;
}

}  // namespace hlo
