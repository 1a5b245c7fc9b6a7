// JAX takes both values of a comparison of floats through
//   x == 0 ? 0 : x   and   x != x ? NaN : x
// in any order, and compares them in the total order of floats then.
#include "interp/plan/comparator_key.h"

#include <cmath>

#include "ir/element_conversion.h"

namespace hlo {

ComparatorKeys::ComparatorKeys(const Plan& plan, const Region& region) : plan_(plan) {
  for (size_t i = 0; i < region.parameters.size(); ++i) {
    parameters_.try_emplace(region.parameters[i].value, static_cast<int64_t>(i));
  }
  for (const Step& step : region.steps) {
    for (SlotId result : step.results) makers_[result.value] = &step;
  }
}

// Null where another opcode makes `slot`.
const Step* ComparatorKeys::MakerOf(SlotId slot, Opcode opcode) const {
  const auto found = makers_.find(slot.value);
  if (found == makers_.end()) return nullptr;
  const Step& step = *found->second;
  const bool is_plain = step.kind == StepKind::kKernel && step.opcode == opcode &&
                        plan_.instruction(step).opcode == opcode;
  return is_plain ? &step : nullptr;
}

// The value of a constant scalar float.
std::optional<double> ComparatorKeys::ConstantAt(SlotId slot) const {
  const Literal* literal = plan_.slot(slot).literal;
  const ElementType type = plan_.slot(slot).shape->element_type();
  const bool has_both_signs = type == ElementType::kF64 || type == ElementType::kF32 ||
                              type == ElementType::kBf16 || type == ElementType::kF16;
  if (literal == nullptr || !has_both_signs || literal->element_count() != 1) return std::nullopt;
  double value = 0;
  ConvertElements(type, literal->bytes(), ElementType::kF64, reinterpret_cast<std::byte*>(&value),
                  1);
  return value;
}

// Through so many selects at most: each is followed twice.
std::optional<ComparatorKey> ComparatorKeys::Find(SlotId slot, int max_selects) const {
  const auto parameter = parameters_.find(slot.value);
  if (parameter != parameters_.end()) return ComparatorKey{parameter->second};
  const Step* select = max_selects > 0 ? MakerOf(slot, Opcode::kSelect) : nullptr;
  if (select == nullptr) return std::nullopt;
  const std::optional<double> value = ConstantAt(select->operands[1]);
  std::optional<ComparatorKey> key = Find(select->operands[2], max_selects - 1);
  const Step* compare = MakerOf(select->operands[0], Opcode::kCompare);
  if (!value || !key || compare == nullptr ||
      plan_.instruction(*compare).Get<Attr::kCompareType>() == ComparisonType::kTotalOrder) {
    return std::nullopt;
  }
  const std::optional<ComparatorKey> tested = Find(compare->operands[0], max_selects - 1);
  if (!tested || tested->parameter != key->parameter) return std::nullopt;
  switch (plan_.instruction(*compare).Get<Attr::kDirection>()) {
    case ComparisonDirection::kEq:
      if (ConstantAt(compare->operands[1]) != 0.0 || *value != 0 || std::signbit(*value)) {
        return std::nullopt;
      }
      key->has_one_zero = true;
      return key;
    case ComparisonDirection::kNe:
      if (compare->operands[0] != compare->operands[1] || !std::isnan(*value) ||
          std::signbit(*value)) {
        return std::nullopt;
      }
      key->has_one_nan = true;
      return key;
    default:  // keeps some values apart from others
      return std::nullopt;
  }
}

}  // namespace hlo
