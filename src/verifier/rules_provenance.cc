// Where values come from, and how exact they must be. Source: verifier.md 1.14.
#include "verifier/rules.h"

namespace hlo {
namespace {

// Whether an origin tree has the leaves of a shape.
bool HasStructure(const OriginalValue& value, const Shape& shape) {
  if (!value.is_tuple) return !shape.IsTuple();
  if (!shape.IsTuple()) return false;
  if (static_cast<int64_t>(value.elements.size()) != shape.element_count()) return false;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    if (!HasStructure(value.elements[i], shape.element(i))) return false;
  }
  return true;
}

void CheckOrigin(const RuleContext& context, const OpView& op, const OriginalValue& origin) {
  if (origin.is_synthetic_call || HasStructure(origin, *op.written_shape())) return;
  context.Report(Rule::kOriginTupleStructure, op.attribute_range(Attr::kOrigin),
                 "the origin does not have the structure of `{}`", ShapeText(*op.written_shape()));
}

void CheckAccuracy(const RuleContext& context, const OpView& op, const ResultAccuracy& accuracy) {
  // Not `< 0`: a NaN is no tolerance either.
  bool is_fine = accuracy.atol >= 0 && accuracy.rtol >= 0 && accuracy.ulps >= 0;
  if (!accuracy.has_tolerance || is_fine) return;
  context.Report(Rule::kAccuracyToleranceNonnegative, op.attribute_range(Attr::kResultAccuracy),
                 "a tolerance of atol {}, rtol {}, ulps {}", accuracy.atol, accuracy.rtol,
                 accuracy.ulps);
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
