// Pass liveness: one walk over the tree in order of execution. A buffer is in use from its
// definition to its last reader; what a loop reads from outside of it is wanted again in the next
// iteration, so until the loop ends.
#include "interp/plan/passes.h"

namespace hlo {
namespace {

class Liveness {
 public:
  explicit Liveness(Plan& plan)
      : plan_(plan), depths_(plan.buffers.size()), is_defined_(plan.buffers.size()) {}

  void Run() { VisitRegion(*plan_.entry); }

 private:
  static constexpr int64_t kToEndOfLoop = INT64_MAX;

  void VisitRegion(Region& region) {
    region.begin = position_++;
    for (size_t i = 0; i < region.parameters.size(); ++i) {
      // Arrays of dynamic sizes enter a loop's body as the state they are.
      const bool is_state = i < region.targets.size() && region.parameters[i] == region.targets[i];
      if (!is_state) Define(region.parameters[i], region.begin);
    }
    for (Step& step : region.steps) VisitStep(step);
    region.end = position_++;
    for (SlotId result : region.results) Read(result, region.end);
  }

  void VisitStep(Step& step) {
    step.begin = position_++;
    for (SlotId result : step.results) Define(result, step.begin);
    switch (step.kind) {
      case StepKind::kKernel:
        for (auto& function : step.regions) VisitRegion(*function);
        step.end = step.regions.empty() ? step.begin : position_++;
        // Functions are called while the kernel still reads.
        for (SlotId operand : step.operands) Read(operand, step.end);
        break;
      case StepKind::kWhile:
        for (const Move& move : step.moves) Read(move.from, step.begin);
        VisitLoop(step);
        break;
      case StepKind::kConditional:
        for (SlotId selector : step.operands) Read(selector, step.begin);
        for (auto& branch : step.regions) VisitRegion(*branch);
        step.end = position_++;
        break;
    }
    for (SlotId result : step.results) Read(result, step.end);
  }

  void VisitLoop(Step& loop) {
    wanted_again_.emplace_back();
    for (auto& region : loop.regions) VisitRegion(*region);
    loop.end = position_++;
    for (BufferId id : wanted_again_.back()) plan_.buffer(id).last = loop.end;
    wanted_again_.pop_back();
  }

  void Define(SlotId slot, int64_t position) {
    const BufferId id = plan_.slot(slot).buffer;
    Buffer& buffer = plan_.buffer(id);
    // What is made part by part is in use from the first of them on.
    if (is_defined_[id.value]) return Read(slot, position);
    is_defined_[id.value] = true;
    buffer.first = buffer.last = position;
    depths_[id.value] = wanted_again_.size();
  }

  void Read(SlotId slot, int64_t position) {
    const BufferId id = plan_.slot(slot).buffer;
    Buffer& buffer = plan_.buffer(id);
    if (buffer.last == kToEndOfLoop) return;
    if (depths_[id.value] == wanted_again_.size()) {
      buffer.last = position;
      return;
    }
    buffer.last = kToEndOfLoop;
    wanted_again_[depths_[id.value]].push_back(id);
  }

  Plan& plan_;
  int64_t position_ = 0;
  std::vector<size_t> depths_;                       // by buffer: the loops around its definition
  std::vector<bool> is_defined_;                     // by buffer
  std::vector<std::vector<BufferId>> wanted_again_;  // by open loop
};

}  // namespace

bool FindLifetimes(Plan& plan, const PassContext&) {
  Liveness(plan).Run();
  return true;
}

}  // namespace hlo
