// Pass recognise. It looks at expanded regions, so it need not care about calls, tuples, copies and
// conversions around what it looks for.
#include <optional>

#include "interp/plan/extreme_form.h"
#include "interp/plan/lexicographic_form.h"
#include "interp/plan/loop_counter.h"
#include "interp/plan/passes.h"

namespace hlo {
namespace {

std::optional<int64_t> ParameterOf(const Region& region, SlotId slot) {
  for (size_t i = 0; i < region.parameters.size(); ++i) {
    if (region.parameters[i] == slot) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

class Recogniser {
 public:
  Recogniser(const Plan& plan, const Region& region) : plan_(plan), region_(region) {}

  FunctionForm Recognise() const {
    if (region_.results.size() == 2) return RecogniseExtreme(plan_, region_);
    if (region_.results.size() != 1) return {};
    if (region_.steps.empty()) return AsParameter();
    if (region_.steps.size() != 1) return RecogniseLexicographic(plan_, region_);
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
    FunctionForm::Key key = {.parameter = left / 2, .element_type = TypeOf(step.operands[0])};
    key.ascending = is_less == (left < right);
    key.total_order = IsFloat(key.element_type) &&
                      compare.Get<Attr::kCompareType>() == ComparisonType::kTotalOrder;
    form.keys.push_back(key);
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
