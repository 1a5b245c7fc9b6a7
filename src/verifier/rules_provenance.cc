// Where values come from, and how exact they must be. Source: verifier.md 1.14.
#include <fmt/format.h>

#include <string>

#include "support/count_text.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

std::string LeavesText(bool is_tuple, int64_t count) {
  return is_tuple ? CountText(count, "element") : "one value";
}

// Where an origin tree has other leaves than a shape, in words; empty when they are the same.
std::string DescribeDifference(const OriginalValue& value, const Shape& shape) {
  const int64_t count = static_cast<int64_t>(value.elements.size());
  if (value.is_tuple != shape.IsTuple() || (shape.IsTuple() && count != shape.element_count())) {
    return fmt::format("{} where `{}` has {}", LeavesText(value.is_tuple, count), ShapeText(shape),
                       LeavesText(shape.IsTuple(), shape.element_count()));
  }
  if (!shape.IsTuple()) return "";
  for (int64_t i = 0; i < count; ++i) {
    std::string difference = DescribeDifference(value.elements[i], shape.element(i));
    if (!difference.empty()) return difference;
  }
  return "";
}

void CheckOrigin(const RuleContext& context, const OpView& op, const OriginalValue& origin) {
  if (origin.is_synthetic_call) return;
  const std::string difference = DescribeDifference(origin, *op.written_shape());
  if (difference.empty()) return;
  context.Report(Rule::kOriginTupleStructure, op.attribute_range(Attr::kOrigin),
                 "the origin has {}", difference);
}

void CheckAccuracy(const RuleContext& context, const OpView& op, const ResultAccuracy& accuracy) {
  // Not `< 0`: a NaN is no tolerance either.
  bool is_fine = accuracy.atol >= 0 && accuracy.rtol >= 0 && accuracy.ulps >= 0;
  if (!accuracy.has_tolerance || is_fine) return;
  context.Report(Rule::kAccuracyToleranceNonnegative, op.attribute_range(Attr::kResultAccuracy),
                 "a tolerance with atol {}, rtol {} and ulps {}, of which none may be below 0",
                 accuracy.atol, accuracy.rtol, accuracy.ulps);
}

}  // namespace

void VerifyProvenance(const RuleContext& context) {
  for (const Instruction& instruction : context.module().instructions()) {
    OpView op = context.View(instruction);
    for (const Attribute& attribute : instruction.attributes) {
      if (attribute.attr == Attr::kOrigin) {
        CheckOrigin(context, op, attribute.value.Get<OriginalValue>());
      } else if (attribute.attr == Attr::kResultAccuracy) {
        CheckAccuracy(context, op, attribute.value.Get<ResultAccuracy>());
      }
    }
  }
}

}  // namespace hlo
