// Every instruction has to be elementwise and on scalars, of which each becomes an array. Where a
// value comes from says its buffer: what shows the bits of a parameter in another type of its width
// (pass views) is a slot of its own.
#include "interp/simd/block/function_block.h"

#include <algorithm>
#include <deque>

#include "interp/simd/base/reach.h"
#include "interp/simd/simd.h"

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

  FunctionBlock Make(std::vector<SlotId>& operands) {
    FunctionBlock function;
    const bool is_block =
        part_.steps.size() <= kMaxSteps &&
        std::ranges::all_of(part_.steps, [&](const Step* step) { return Add(*step); }) &&
        std::ranges::all_of(part_.results, [&](SlotId slot) { return AddResult(slot); });
    if (!is_block) return function;
    std::vector<SlotId> slots;
    auto block = builder_.Finish(part_.results, slots);
    if (block == nullptr || block->tile_size() < count_) return function;
    for (SlotId slot : slots) function.sources.push_back(SourceOf(slot, operands));
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
  FunctionBlock::Source SourceOf(SlotId slot, std::vector<SlotId>& operands) const {
    if (const int64_t parameter = ParameterOf(slot); parameter >= 0) return {parameter};
    operands.push_back(slot);
    return {.operand = operands.size() - 1};
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

bool FunctionBlock::Reads(size_t parameter) const {
  return std::ranges::any_of(sources, [&](const Source& source) {
    return source.parameter == static_cast<int64_t>(parameter);
  });
}

FunctionBlock MakeFunctionBlock(const Plan& plan, const FunctionPart& part, int64_t count,
                                bool is_exact, std::vector<SlotId>& operands) {
  return FunctionBlockMaker(plan, part, count, is_exact).Make(operands);
}

bool CallsFunctions(const Plan& plan, const Step& step, Opcode opcode, size_t function_count) {
  const auto is_static = [&](SlotId slot) {
    return !plan.slot(slot).is_dynamic && !plan.slot(slot).shape->HasDynamicDim();
  };
  return step.kind == StepKind::kKernel && step.opcode == opcode &&
         plan.instruction(step).opcode == opcode && step.regions.size() == function_count &&
         std::ranges::all_of(step.operands, is_static) &&
         std::ranges::all_of(step.results, is_static) && IsWithinReach(plan, step) &&
         FindKernel(plan, step) == nullptr;
}

bool HaveTypesOf(const Plan& plan, std::span<const SlotId> slots, std::span<const SlotId> others) {
  return std::ranges::equal(slots, others, [&](SlotId a, SlotId b) {
    return plan.slot(a).shape->element_type() == plan.slot(b).shape->element_type();
  });
}

bool CombinesElementsOf(const Plan& plan, const Region& region, std::span<const SlotId> arrays) {
  const std::span<const SlotId> parameters = region.parameters;
  return parameters.size() == 2 * arrays.size() &&
         HaveTypesOf(plan, parameters.first(arrays.size()), arrays) &&
         HaveTypesOf(plan, parameters.subspan(arrays.size()), arrays) &&
         HaveTypesOf(plan, region.results, arrays);
}

FunctionCalls::FunctionCalls(const FunctionBlock& function, Evaluation& e, std::byte* registers)
    : function_(function), operands_(e.device().scratch()), registers_(registers) {
  operands_.reserve(function.sources.size());
  for (const FunctionBlock::Source& source : function.sources) {
    operands_.push_back(e.operand(source.operand));
  }
  function.block->StartTiles(operands_, registers_);
}

void FunctionCalls::Run(int64_t count, std::span<const std::byte* const> arguments,
                        std::span<const MutableArrayRef> results) {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const int64_t parameter = function_.sources[i].parameter;
    if (parameter >= 0) operands_[i].bytes = arguments[static_cast<size_t>(parameter)];
  }
  function_.block->RunNextTile(count, operands_, results, registers_);
}

}  // namespace hlo::simd
