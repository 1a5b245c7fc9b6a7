// Pass recognise. It looks at expanded regions, so it need not care about calls, tuples, copies and
// conversions around what it looks for.
#include <cmath>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "interp/plan/extreme_form.h"
#include "interp/plan/loop_counter.h"
#include "interp/plan/passes.h"
#include "ir/element_conversion.h"

namespace hlo {
namespace {

std::optional<int64_t> ParameterOf(const Region& region, SlotId slot) {
  for (size_t i = 0; i < region.parameters.size(); ++i) {
    if (region.parameters[i] == slot) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

// The comparator of JAX's sort: both values are taken through
//   x == 0 ? 0 : x   and   x != x ? NaN : x
// in any order, and are then compared in the total order of floats.
class CanonicalComparator {
  static constexpr int kMaxSelects = 2;

 public:
  CanonicalComparator(const Plan& plan, const Region& region) : plan_(plan), region_(region) {
    for (const Step& step : region.steps) {
      for (SlotId result : step.results) makers_[result.value] = &step;
    }
  }

  FunctionForm Recognise() const {
    const Step* compare = MakerOf(region_.results[0], Opcode::kCompare);
    if (compare == nullptr) return {};
    const Instruction& instruction = plan_.instruction(*compare);
    const ComparisonDirection direction = instruction.Get<Attr::kDirection>();
    const bool is_less = direction == ComparisonDirection::kLt;
    if ((!is_less && direction != ComparisonDirection::kGt) || !IsTotalOrder(instruction)) {
      return {};
    }
    const std::optional<Key> left = KeyOf(compare->operands[0], kMaxSelects);
    const std::optional<Key> right = KeyOf(compare->operands[1], kMaxSelects);
    if (!left || !right || !left->IsCanonical() || !right->IsCanonical() ||
        left->parameter == right->parameter || left->parameter / 2 != right->parameter / 2 ||
        TypeOf(compare->operands[0]) != TypeOf(compare->operands[1])) {
      return {};
    }
    FunctionForm form;
    form.kind = FunctionForm::Kind::kComparator;
    form.element_type = TypeOf(compare->operands[0]);
    form.parameter = left->parameter / 2;
    form.ascending = is_less == (left->parameter < right->parameter);
    form.total_order = form.is_canonical = true;
    return form;
  }

 private:
  // A parameter, and what of it is one value.
  struct Key {
    int64_t parameter;
    bool has_one_zero = false;
    bool has_one_nan = false;

    bool IsCanonical() const { return has_one_zero && has_one_nan; }
  };

  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }

  bool IsTotalOrder(const Instruction& compare) const {
    return compare.Get<Attr::kCompareType>() == ComparisonType::kTotalOrder;
  }

  // Null where another opcode makes `slot`.
  const Step* MakerOf(SlotId slot, Opcode opcode) const {
    const auto found = makers_.find(slot.value);
    if (found == makers_.end()) return nullptr;
    const Step& step = *found->second;
    const bool is_plain = step.kind == StepKind::kKernel && step.opcode == opcode &&
                          plan_.instruction(step).opcode == opcode;
    return is_plain ? &step : nullptr;
  }

  // The value of a constant scalar float.
  std::optional<double> ConstantAt(SlotId slot) const {
    const Literal* literal = plan_.slot(slot).literal;
    const ElementType type = TypeOf(slot);
    const bool has_both_signs = type == ElementType::kF64 || type == ElementType::kF32 ||
                                type == ElementType::kBf16 || type == ElementType::kF16;
    if (literal == nullptr || !has_both_signs || literal->element_count() != 1) return std::nullopt;
    double value = 0;
    ConvertElements(type, literal->bytes(), ElementType::kF64, reinterpret_cast<std::byte*>(&value),
                    1);
    return value;
  }

  // What `slot` is, through so many selects at most: each is followed twice.
  std::optional<Key> KeyOf(SlotId slot, int max_selects) const {
    if (const auto parameter = ParameterOf(region_, slot)) return Key{*parameter};
    const Step* select = max_selects > 0 ? MakerOf(slot, Opcode::kSelect) : nullptr;
    if (select == nullptr) return std::nullopt;
    const std::optional<double> value = ConstantAt(select->operands[1]);
    std::optional<Key> key = KeyOf(select->operands[2], max_selects - 1);
    const Step* compare = MakerOf(select->operands[0], Opcode::kCompare);
    if (!value || !key || compare == nullptr || IsTotalOrder(plan_.instruction(*compare))) {
      return std::nullopt;
    }
    const std::optional<Key> tested = KeyOf(compare->operands[0], max_selects - 1);
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

  const Plan& plan_;
  const Region& region_;
  absl::flat_hash_map<size_t, const Step*> makers_;  // by slot
};

class Recogniser {
 public:
  Recogniser(const Plan& plan, const Region& region) : plan_(plan), region_(region) {}

  FunctionForm Recognise() const {
    if (region_.results.size() == 2) return RecogniseExtreme(plan_, region_);
    if (region_.results.size() != 1) return {};
    if (region_.steps.empty()) return AsParameter();
    if (region_.steps.size() != 1) return CanonicalComparator(plan_, region_).Recognise();
    const Step& step = region_.steps.front();
    const bool is_plain = step.kind == StepKind::kKernel && step.regions.empty() &&
                          step.operands.size() == 2 && step.results.size() == 1 &&
                          region_.results[0] == step.results[0];
    if (!is_plain) return {};
    const std::optional<int64_t> left = ParameterOf(region_, step.operands[0]);
    const std::optional<int64_t> right = ParameterOf(region_, step.operands[1]);
    if (!left || !right || TypeOf(step.operands[0]) != TypeOf(step.operands[1])) return {};
    const Instruction& instruction = plan_.instruction(step);
    if (step.opcode != instruction.opcode || !plan_.slot(step.results[0]).shape->IsScalar())
      return {};
    return instruction.opcode == Opcode::kCompare ? AsComparator(instruction, step, *left, *right)
                                                  : AsBinary(instruction, step, *left, *right);
  }

 private:
  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }

  FunctionForm AsParameter() const {
    const std::optional<int64_t> parameter = ParameterOf(region_, region_.results[0]);
    if (!parameter) return {};
    FunctionForm form;
    form.kind = FunctionForm::Kind::kParameter;
    form.element_type = TypeOf(region_.results[0]);
    form.parameter = *parameter;
    return form;
  }

  FunctionForm AsBinary(const Instruction& instruction, const Step& step, int64_t left,
                        int64_t right) const {
    const OpcodeInfo& info = GetOpcodeInfo(instruction.opcode);
    const bool is_in_order = left == 0 && right == 1;
    const bool is_swapped = left == 1 && right == 0 && HasTrait(instruction.opcode, kCommutative);
    if (info.family != OpcodeFamily::kElementwise || !info.attributes.empty() ||
        region_.parameters.size() != 2 || !(is_in_order || is_swapped) ||
        TypeOf(step.operands[0]) != TypeOf(step.results[0])) {
      return {};
    }
    FunctionForm form;
    form.kind = FunctionForm::Kind::kBinary;
    form.element_type = TypeOf(step.results[0]);
    form.opcode = instruction.opcode;
    return form;
  }

  FunctionForm AsComparator(const Instruction& compare, const Step& step, int64_t left,
                            int64_t right) const {
    using enum ComparisonDirection;
    const ComparisonDirection direction = compare.Get<Attr::kDirection>();
    if (left == right || left / 2 != right / 2 || direction == kEq || direction == kNe ||
        IsComplex(TypeOf(step.operands[0]))) {
      return {};
    }
    const bool is_less = direction == kLt || direction == kLe;
    FunctionForm form;
    form.kind = direction == kLt || direction == kGt ? FunctionForm::Kind::kComparator
                                                     : FunctionForm::Kind::kOrEqual;
    form.element_type = TypeOf(step.operands[0]);
    form.parameter = left / 2;
    form.ascending = is_less == (left < right);
    form.total_order = compare.Get<Attr::kCompareType>() == ComparisonType::kTotalOrder;
    return form;
  }

  const Plan& plan_;
  const Region& region_;
};

void VisitRegion(const Plan& plan, Region& region) {
  for (Step& step : region.steps) {
    for (auto& nested : step.regions) VisitRegion(plan, *nested);
    if (step.kind == StepKind::kWhile) step.trip_count = CountTrips(plan, step);
  }
  if (region.role == Region::Role::kFunction) region.form = Recogniser(plan, region).Recognise();
}

}  // namespace

bool Recognise(Plan& plan, const PassContext&) {
  VisitRegion(plan, *plan.entry);
  return true;
}

}  // namespace hlo
