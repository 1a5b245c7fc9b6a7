// Steps of a loop that compute the same in every iteration are done once, before the loop.
//
// Such a step keeps its position inside the loop, although it runs earlier. So that no memory is
// given away too early, everything it writes counts as in use from the beginning of the loop, and
// it never works in place: its operands may be wanted between here and the loop.
#include <algorithm>

#include "interp/plan_builder.h"

namespace hlo {
namespace {

// Larger results would be held for the whole loop.
constexpr int64_t kMaxHoistedByteSize = int64_t{256} << 20;

// Pure, and cheap to have computed in vain where the loop makes no trip.
bool MayLeaveLoops(const Instruction& instruction) {
  const OpcodeInfo& info = GetOpcodeInfo(instruction.opcode);
  switch (info.family) {
    case OpcodeFamily::kElementwise:
    case OpcodeFamily::kDataMovement:
    case OpcodeFamily::kReduction:
    case OpcodeFamily::kContraction:
    case OpcodeFamily::kIndexing:
      return (info.traits & (kSideEffect | kStateful)) == 0 && !instruction.shape->HasDynamicDim();
    case OpcodeFamily::kLinalg:
    case OpcodeFamily::kRandom:
    case OpcodeFamily::kControlFlow:
    case OpcodeFamily::kCollective:
    case OpcodeFamily::kEffects:
      return false;
  }
  HLO_UNREACHABLE();
}

int64_t TotalByteSize(const Shape& shape) {
  if (shape.IsArray()) return DenseByteSize(shape).value_or(INT64_MAX / 2);
  int64_t total = 0;
  for (const Shape& element : shape.elements()) {
    total = std::min(total + TotalByteSize(element), INT64_MAX / 2);
  }
  return total;
}

}  // namespace

// The loops around the place where the contents of `buffer` change. The state of a loop changes
// inside it although it is defined outside.
size_t PlanBuilder::LoopDepthOf(const Buffer& buffer) const {
  if (buffer.kind != Buffer::Kind::kArena) return 0;
  for (size_t i = 0; i < open_loops_.size(); ++i) {
    if (open_loops_[i].number == buffer.carrying_loop) return i + 1;
  }
  return static_cast<size_t>(buffer.loop_depth);
}

size_t PlanBuilder::LoopsAround(const Instruction& instruction, const Step& step) const {
  if (open_loops_.size() == hoist_floor_ || !MayLeaveLoops(instruction) ||
      TotalByteSize(*instruction.shape) > kMaxHoistedByteSize) {
    return open_loops_.size();
  }
  size_t loop_count = hoist_floor_;
  for (SlotId operand : step.operands) {
    if (plan_.slot(operand).is_dynamic) return open_loops_.size();
    loop_count = std::max(loop_count, LoopDepthOf(plan_.buffer(plan_.slot(operand).buffer)));
  }
  return loop_count;
}

bool PlanBuilder::BuildHoistedStep(const Instruction& instruction, Step& step, size_t loop_count) {
  std::vector<OpenLoop> left(open_loops_.begin() + static_cast<std::ptrdiff_t>(loop_count),
                             open_loops_.end());
  size_t first_new_buffer = plan_.buffers_.size();
  open_loops_.resize(loop_count);
  const std::optional<Value> value = BuildStep(instruction, step);
  if (!value) return false;
  int64_t after_step = position_++;
  for (SlotId operand : step.operands) Read(operand, after_step);
  for (size_t i = first_new_buffer; i < plan_.buffers_.size(); ++i) {
    plan_.buffers_[i].first = left[0].begin;
  }
  left[0].outer->steps.push_back(std::move(step));
  open_loops_.insert(open_loops_.end(), left.begin(), left.end());
  return SetValue(instruction, value);
}

}  // namespace hlo
