// The function is evaluated for pairs that need no answer, too, which changes nothing: its
// instructions have no effects and cannot fail. Its block has the bits of the reference kernels,
// since other last bits would be another order.
#include "interp/simd/comparator.h"

#include <algorithm>
#include <utility>

#include "interp/kernel/device.h"

namespace hlo::simd {
namespace {

// Whether elements can come as the function's parameters take them: of one type for both of a pair.
bool FitsOperands(const Plan& plan, const Step& step, const Region& region) {
  if (region.parameters.size() != 2 * step.operands.size() || region.results.size() != 1 ||
      step.results.size() != step.operands.size()) {
    return false;
  }
  const auto type_of = [&](SlotId slot) { return plan.slot(slot).shape->element_type(); };
  for (size_t k = 0; k < step.results.size(); ++k) {
    if (type_of(step.results[k]) != type_of(step.operands[k])) return false;
  }
  for (size_t k = 0; k < region.parameters.size(); ++k) {
    const Slot& operand = plan.slot(step.operands[k / 2]);
    if (operand.is_dynamic || operand.shape->HasDynamicDim() ||
        type_of(region.parameters[k]) != type_of(region.parameters[k / 2 * 2])) {
      return false;
    }
  }
  return type_of(region.results[0]) == ElementType::kPred;
}

}  // namespace

void Comparator::AddSource(const FunctionBlock::Operand& operand, const Plan& plan,
                           const Region& region) {
  if (operand.parameter < 0) {
    sources_.push_back({Source::Kind::kConstant, operands_.size()});
    operands_.push_back(operand.constant);
    return;
  }
  const auto parameter = static_cast<size_t>(operand.parameter);
  auto array = std::ranges::find(arrays_, parameter / 2, &Array::operand);
  if (array == arrays_.end()) {
    const SlotId slot = region.parameters[parameter];
    array = arrays_.insert(array, {parameter / 2, plan.slot(slot).shape->element_type()});
  }
  sources_.push_back({parameter % 2 == 0 ? Source::Kind::kLater : Source::Kind::kEarlier,
                      static_cast<size_t>(array - arrays_.begin())});
}

std::optional<Comparator> Comparator::Make(const Plan& plan, const Step& step) {
  const Region& region = *step.regions[0];
  if (!FitsOperands(plan, step, region)) return std::nullopt;
  FunctionBlock function = MakeFunctionBlock(plan, region, kMaxPairs, /*is_exact=*/true);
  if (function.block == nullptr) return std::nullopt;
  Comparator comparator;
  comparator.block_ = std::move(function.block);
  comparator.operands_.assign(step.operands.begin(), step.operands.end());
  for (const FunctionBlock::Operand& operand : function.operands) {
    comparator.AddSource(operand, plan, region);
  }
  return comparator;
}

Comparison::Comparison(const Comparator& comparator, Evaluation& e)
    : registers_(e.device().scratch(), comparator.block_->register_byte_size()),
      operands_(e.device().scratch()),
      result_{ElementType::kPred, {}, nullptr},
      comparator_(comparator) {
  operands_.reserve(comparator.sources_.size());
  for (const Comparator::Source& source : comparator.sources_) {
    const bool is_constant = source.kind == Comparator::Source::Kind::kConstant;
    operands_.push_back(
        e.operand(is_constant ? source.number : comparator.arrays_[source.number].operand));
  }
}

int64_t Comparison::ScratchByteSize(const Comparator& comparator) {
  return comparator.block_->register_byte_size();
}

void Comparison::Run(std::span<const std::byte* const> later,
                     std::span<const std::byte* const> earlier, int64_t count, uint8_t* answers) {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Comparator::Source& source = comparator_.sources_[i];
    if (source.kind == Comparator::Source::Kind::kLater) {
      operands_[i].bytes = later[source.number];
    } else if (source.kind == Comparator::Source::Kind::kEarlier) {
      operands_[i].bytes = earlier[source.number];
    }
  }
  result_.bytes = reinterpret_cast<std::byte*>(answers);
  comparator_.block_->RunTile(count, operands_, std::span(&result_, 1), registers_.get());
}

}  // namespace hlo::simd
