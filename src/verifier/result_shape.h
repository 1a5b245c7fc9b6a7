// The comparison of an instruction's written result shape with the inferred one (verifier.md 0.6,
// 0.7).
#ifndef HLOKIT_VERIFIER_RESULT_SHAPE_H_
#define HLOKIT_VERIFIER_RESULT_SHAPE_H_

#include <string>

#include "ir/shape.h"
#include "verifier/rule_context.h"

namespace hlo {

// Checks the premises of the opcode and the result shape. False when a premise fails: the other
// rules of the instruction then make no sense.
bool CheckResultShape(const RuleContext& context, const OpView& op);

// Rules about float types that meet (verifier.md 0.6).
void CheckMixedPrecision(const RuleContext& context, const OpView& op);

// `expected` as the instruction would have to write its shape: with layouts where its text has
// some, keeping those that still fit.
std::string CorrectedShapeText(const OpView& op, const Shape& expected);

// The first difference of two incompatible shapes in words: "dimension 1 is 4 instead of 3".
std::string DescribeShapeDifference(const Shape& written, const Shape& expected);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_RESULT_SHAPE_H_
