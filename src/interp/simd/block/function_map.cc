// Calls know nothing of each other (semantics.md 15.1): the function as a block over some of them
// after the other, which reads and writes the arrays where they lie.
#include "interp/simd/block/function_map.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/device.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/base/parallel.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

absl::Status RunFunctionMap(Evaluation& e) {
  return static_cast<const FunctionMap*>(e.program())->Run(e);
}

}  // namespace

std::shared_ptr<const FunctionMap> FunctionMap::Make(const Plan& plan, const Step& step) {
  if (!CallsFunctions(plan, step, Opcode::kMap, 1)) return nullptr;
  const Region& region = *step.regions[0];
  const auto shape_of = [&](SlotId slot) -> const Shape& { return *plan.slot(slot).shape; };
  const Shape& result = shape_of(step.results[0]);
  const bool is_uniform = HaveTypesOf(plan, region.parameters, step.operands) &&
                          HaveTypesOf(plan, region.results, step.results) &&
                          std::ranges::all_of(step.operands, [&](SlotId slot) {
                            return std::ranges::equal(shape_of(slot).dims(), result.dims());
                          });
  if (!is_uniform) return nullptr;
  auto map = std::make_shared<FunctionMap>();
  map->operands_.assign(step.operands.begin(), step.operands.end());
  map->function_ =
      MakeFunctionBlock(plan, FunctionPart(region), kMaxTile, /*is_exact=*/true, map->operands_);
  if (map->function_.block == nullptr) return nullptr;
  map->count_ = ElementCount(result).value_or(0);
  map->result_size_ = ElementByteSize(result.element_type());
  for (const SlotId operand : step.operands) {
    map->operand_sizes_.push_back(ElementByteSize(shape_of(operand).element_type()));
  }
  return map;
}

int64_t FunctionMap::ScratchByteSize() const {
  return PartsAtOnce(CeilDiv(count_, kPartSize)) * function_.block->register_byte_size();
}

const Kernel& FunctionMap::kernel() const {
  static constexpr Kernel kKernel = {.run = RunFunctionMap};
  return kKernel;
}

void FunctionMap::RunPart(Evaluation& e, int64_t begin, int64_t end) const {
  ScratchPool& pool = e.device().scratch();
  const ScratchArray<std::byte> registers(pool, function_.block->register_byte_size());
  FunctionCalls calls(function_, e, registers.get());
  absl::InlinedVector<const std::byte*, 8, ScratchAllocator<const std::byte*>> arguments(
      operand_sizes_.size(), nullptr, pool);
  for (int64_t first = begin; first < end; first += kMaxTile) {
    for (size_t k = 0; k < operand_sizes_.size(); ++k) {
      arguments[k] = e.operand(k).bytes + first * operand_sizes_[k];
    }
    const MutableArrayRef result = {
        e.result().element_type, {}, e.result().bytes + first * result_size_};
    calls.Run(std::min(kMaxTile, end - first), arguments, {&result, 1});
  }
}

absl::Status FunctionMap::Run(Evaluation& e) const {
  return ForEachPart(e.device(), CeilDiv(count_, kPartSize), [&](int64_t part) {
    RunPart(e, part * kPartSize, std::min(count_, (part + 1) * kPartSize));
  });
}

}  // namespace hlo::simd
