// Pass recognise. It looks at expanded regions, so it need not care about calls, tuples, copies and
// conversions around what it looks for.
#include <algorithm>
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
    if (region_.results.size() != 1) return OfSeveralResults();
    if (region_.steps.empty()) {
      return AsParameter(region_.results[0], ParameterOf(region_, region_.results[0]));
    }
    if (region_.steps.size() != 1) return RecogniseLexicographic(plan_, region_);
    const Step& step = region_.steps.front();
    if (!IsPlain(step) || region_.results[0] != step.results[0]) return {};
    const std::optional<int64_t> left = ParameterOf(region_, step.operands[0]);
    const std::optional<int64_t> right = ParameterOf(region_, step.operands[1]);
    if (!left || !right) return {};
    if (step.opcode == Opcode::kCompare) return AsComparator(step, *left, *right);
    return region_.parameters.size() == 2 ? AsBinary(step, *left, *right) : FunctionForm();
  }

 private:
  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }

  // Whether it is an instruction as it is written, of two operands of one type, that makes a
  // scalar.
  bool IsPlain(const Step& step) const {
    return step.kind == StepKind::kKernel && step.regions.empty() && step.operands.size() == 2 &&
           step.results.size() == 1 && step.opcode == plan_.instruction(step).opcode &&
           TypeOf(step.operands[0]) == TypeOf(step.operands[1]) &&
           plan_.slot(step.results[0]).shape->IsScalar();
  }

  FunctionForm OfSeveralResults() const {
    if (region_.results.size() == 2) {
      FunctionForm form = RecogniseExtreme(plan_, region_);
      if (form.kind != FunctionForm::Kind::kOther) return form;
    }
    return ByArray();
  }

  FunctionForm ByArray() const {
    const auto count = static_cast<int64_t>(region_.results.size());
    const auto makes_result = [&](const Step& step) {
      return step.results.size() == 1 &&
             std::ranges::find(region_.results, step.results[0]) != region_.results.end();
    };
    if (count < 2 || static_cast<int64_t>(region_.parameters.size()) != 2 * count ||
        !std::ranges::all_of(region_.steps, makes_result)) {
      return {};
    }
    FunctionForm form;
    form.kind = FunctionForm::Kind::kByArray;
    for (int64_t k = 0; k < count; ++k) {
      form.by_array.push_back(OfArray(k));
      if (form.by_array.back().kind == FunctionForm::Kind::kOther) return {};
    }
    return form;
  }

  // How result k is made of parameters k and count + k alone.
  FunctionForm OfArray(int64_t k) const {
    const auto count = static_cast<int64_t>(region_.results.size());
    const SlotId result = region_.results[static_cast<size_t>(k)];
    const auto number_of = [&](SlotId slot) -> std::optional<int64_t> {
      const std::optional<int64_t> parameter = ParameterOf(region_, slot);
      if (!parameter || *parameter % count != k) return std::nullopt;
      return *parameter / count;
    };
    const auto made = std::ranges::find_if(
        region_.steps, [&](const Step& step) { return step.results[0] == result; });
    if (made == region_.steps.end()) return AsParameter(result, number_of(result));
    if (!IsPlain(*made)) return {};
    const std::optional<int64_t> left = number_of(made->operands[0]);
    const std::optional<int64_t> right = number_of(made->operands[1]);
    return left && right ? AsBinary(*made, *left, *right) : FunctionForm();
  }

  FunctionForm AsParameter(SlotId result, std::optional<int64_t> parameter) const {
    if (!parameter) return {};
    FunctionForm form;
    form.kind = FunctionForm::Kind::kParameter;
    form.element_type = TypeOf(result);
    form.parameter = *parameter;
    return form;
  }

  FunctionForm AsBinary(const Step& step, int64_t left, int64_t right) const {
    const OpcodeInfo& info = GetOpcodeInfo(step.opcode);
    const bool is_in_order = left == 0 && right == 1;
    const bool is_swapped = left == 1 && right == 0 && HasTrait(step.opcode, kCommutative);
    if (info.family != OpcodeFamily::kElementwise || !info.attributes.empty() ||
        !(is_in_order || is_swapped) || TypeOf(step.operands[0]) != TypeOf(step.results[0])) {
      return {};
    }
    FunctionForm form;
    form.kind = FunctionForm::Kind::kBinary;
    form.element_type = TypeOf(step.results[0]);
    form.opcode = step.opcode;
    return form;
  }

  FunctionForm AsComparator(const Step& step, int64_t left, int64_t right) const {
    using enum ComparisonDirection;
    const Instruction& compare = plan_.instruction(step);
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
