// Every instruction has to be elementwise and on scalars, of which each becomes an array. Where a
// value comes from says its buffer: what shows the bits of a parameter in another type of its width
// (pass views) is a slot of its own.
#include "interp/simd/block/function_block.h"

#include <algorithm>
#include <deque>

namespace hlo::simd {
namespace {

constexpr size_t kMaxSteps = 128;  // longer ones would not fit a tile anyway

class FunctionBlockMaker {
 public:
  FunctionBlockMaker(const Plan& plan, const FunctionPart& part, int64_t count, bool is_exact)
      : plan_(plan),
        part_(part),
        count_(count),
        builder_(BlockBuilder::OfFunction(plan, count, is_exact)) {}

  FunctionBlock Make() {
    FunctionBlock function;
    const bool is_block =
        part_.steps.size() <= kMaxSteps &&
        std::ranges::all_of(part_.steps, [&](const Step* step) { return Add(*step); }) &&
        std::ranges::all_of(part_.results, [&](SlotId slot) { return AddResult(slot); });
    if (!is_block) return function;
    std::vector<SlotId> slots;
    auto block = builder_.Finish(part_.results, slots);
    if (block == nullptr || block->tile_size() < count_) return function;
    for (SlotId slot : slots) function.operands.push_back({ParameterOf(slot), slot});
    function.block = std::move(block);
    return function;
  }

 private:
  bool IsScalar(SlotId slot) const {
    return ElementCount(*plan_.slot(slot).shape).value_or(0) == 1;
  }
  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }
  bool IsSameBuffer(SlotId a, SlotId b) const {
    return plan_.slot(a).buffer == plan_.slot(b).buffer;
  }

  // The slot that a step made and `slot` shows; invalid if there is none.
  SlotId MadeFor(SlotId slot) const {
    for (const Step* step : part_.steps) {
      for (SlotId made : step->results) {
        if (IsSameBuffer(made, slot)) return made;
      }
    }
    return {};
  }
  // -1: none.
  int64_t ParameterOf(SlotId slot) const {
    const auto found = std::ranges::find_if(
        part_.parameters, [&](SlotId parameter) { return IsSameBuffer(parameter, slot); });
    return found == part_.parameters.end() ? -1 : found - part_.parameters.begin();
  }

  bool Add(const Step& step) {
    const auto is_scalar = [&](SlotId slot) { return IsScalar(slot); };
    if (!BlockBuilder::Takes(plan_, step, /*in_function=*/true) || step.opcode == Opcode::kReduce ||
        !std::ranges::all_of(step.operands, is_scalar) || !IsScalar(step.results[0])) {
      return false;
    }
    for (SlotId operand : step.operands) AddIfConstant(operand);
    return builder_.Add(step);
  }
  void AddIfConstant(SlotId slot) {
    if (MadeFor(slot).valid() || ParameterOf(slot) >= 0) return;
    constants_.emplace_back().source = slot;
    builder_.AddRead(slot, &constants_.back());
  }
  // Parameters and constants may be results, too.
  bool AddResult(SlotId slot) {
    if (const SlotId made = MadeFor(slot); made.valid()) return TypeOf(made) == TypeOf(slot);
    AddIfConstant(slot);
    return builder_.AddUnchanged(slot);
  }

  const Plan& plan_;
  const FunctionPart& part_;
  const int64_t count_;
  BlockBuilder builder_;
  std::deque<IndexedRead> constants_;
};

}  // namespace

FunctionPart::FunctionPart(const Region& region)
    : parameters(region.parameters), results(region.results) {
  for (const Step& step : region.steps) steps.push_back(&step);
}

FunctionBlock MakeFunctionBlock(const Plan& plan, const FunctionPart& part, int64_t count,
                                bool is_exact) {
  return FunctionBlockMaker(plan, part, count, is_exact).Make();
}

}  // namespace hlo::simd
