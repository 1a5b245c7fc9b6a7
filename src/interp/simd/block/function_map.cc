// Calls know nothing of each other (semantics.md 15.1): the function as a block over some of them
// after the other, which reads and writes the arrays where they lie.
#include "interp/simd/block/function_map.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/device.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/base/reach.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

absl::Status RunFunctionMap(Evaluation& e) {
  return static_cast<const FunctionMap*>(e.program())->Run(e);
}

// Whether arrays have the sizes of the result, which are known, and the types of the function.
bool IsUniform(const Plan& plan, const Step& step, const Region& region) {
  const auto shape_of = [&](SlotId slot) -> const Shape& { return *plan.slot(slot).shape; };
  const auto has_type = [&](SlotId slot, SlotId other) {
    return shape_of(slot).element_type() == shape_of(other).element_type();
  };
  const auto is_fine = [&](SlotId slot) {
    return !plan.slot(slot).is_dynamic && !shape_of(slot).HasDynamicDim() &&
           std::ranges::equal(shape_of(slot).dims(), shape_of(step.results[0]).dims());
  };
  return step.operands.size() == region.parameters.size() && region.results.size() == 1 &&
         is_fine(step.results[0]) && std::ranges::all_of(step.operands, is_fine) &&
         has_type(step.results[0], region.results[0]) &&
         std::ranges::equal(step.operands, region.parameters, has_type);
}

}  // namespace

std::shared_ptr<const FunctionMap> FunctionMap::Make(const Plan& plan, const Step& step) {
  const bool is_plain = step.kind == StepKind::kKernel && step.opcode == Opcode::kMap &&
                        plan.instruction(step).opcode == Opcode::kMap && step.regions.size() == 1;
  if (!is_plain || !IsWithinReach(plan, step)) return nullptr;
  const Region& region = *step.regions[0];
  if (!IsUniform(plan, step, region)) return nullptr;
  FunctionBlock function =
      MakeFunctionBlock(plan, FunctionPart(region), kMaxTile, /*is_exact=*/true);
  if (function.block == nullptr) return nullptr;
  const auto size_of = [&](SlotId slot) {
    return ElementByteSize(plan.slot(slot).shape->element_type());
  };
  auto map = std::make_shared<FunctionMap>();
  map->count_ = ElementCount(*plan.slot(step.results[0]).shape).value_or(0);
  map->result_size_ = size_of(step.results[0]);
  map->operands_.assign(step.operands.begin(), step.operands.end());
  map->block_ = std::move(function.block);
  for (const FunctionBlock::Operand& operand : function.operands) {
    if (operand.parameter >= 0) {
      const auto number = static_cast<size_t>(operand.parameter);
      map->sources_.push_back({number, size_of(step.operands[number])});
    } else {
      map->sources_.push_back({map->operands_.size(), 0});
      map->operands_.push_back(operand.constant);
    }
  }
  return map;
}

int64_t FunctionMap::ScratchByteSize() const {
  return PartsAtOnce(CeilDiv(count_, kPartSize)) * block_->register_byte_size();
}

const Kernel& FunctionMap::kernel() const {
  static constexpr Kernel kKernel = {.run = RunFunctionMap};
  return kKernel;
}

void FunctionMap::RunPart(Evaluation& e, int64_t begin, int64_t end) const {
  ScratchPool& pool = e.device().scratch();
  const ScratchArray<std::byte> registers(pool, block_->register_byte_size());
  absl::InlinedVector<ArrayRef, 8, ScratchAllocator<ArrayRef>> operands(pool);
  for (const Source& source : sources_) operands.push_back(e.operand(source.operand));
  block_->StartTiles(operands, registers.get());
  for (int64_t first = begin; first < end; first += kMaxTile) {
    for (size_t i = 0; i < sources_.size(); ++i) {
      operands[i].bytes = e.operand(sources_[i].operand).bytes + first * sources_[i].element_size;
    }
    const MutableArrayRef result = {
        e.result().element_type, {}, e.result().bytes + first * result_size_};
    block_->RunNextTile(std::min(kMaxTile, end - first), operands, {&result, 1}, registers.get());
  }
}

absl::Status FunctionMap::Run(Evaluation& e) const {
  return ForEachPart(e.device(), CeilDiv(count_, kPartSize), [&](int64_t part) {
    RunPart(e, part * kPartSize, std::min(count_, (part + 1) * kPartSize));
  });
}

}  // namespace hlo::simd
