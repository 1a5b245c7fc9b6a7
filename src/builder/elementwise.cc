// The rows of elementwise.def become functions by way of three: Unary, Binary, Comparison. Operands
// are broadcast between the checks and the instruction (builder.md 1). What HLO has no instruction
// for is made of several: a conjugate, a conversion from complex to real numbers, a select of
// tuples, which is a conditional.
#include "builder/elementwise.h"

#include <cmath>

#include "builder/broadcasting.h"
#include "builder/called_computations.h"
#include "builder/operation.h"
#include "ir/comparison_type.h"

namespace hlo::ops {
namespace {

// What text can say, in which `ulps` is a number like the others.
bool CheckAccuracy(Operation& operation, const ResultAccuracy& accuracy) {
  if (!operation.ok()) return false;
  constexpr int64_t kLargest = int64_t{1} << 53;
  if (accuracy.ulps < -kLargest || accuracy.ulps > kLargest) {
    operation.Fail(Rule::kAccuracyValue, "`ulps` of {} is more than 2^53", accuracy.ulps);
  } else if (!std::isfinite(accuracy.atol) || !std::isfinite(accuracy.rtol)) {
    operation.Fail(Rule::kAccuracyValue, "the tolerances {} and {} are not both finite",
                   accuracy.atol, accuracy.rtol);
  }
  return operation.ok();
}

Op Unary(std::string_view name, Opcode opcode, const Op& operand,
         const std::optional<ResultAccuracy>& accuracy, SourceLocation at) {
  Operation operation(name, at, {operand});
  const bool says_something =
      accuracy && (accuracy->has_tolerance || accuracy->mode != AccuracyMode::kDefault);
  if (!says_something) return operation.Add(opcode, {operand}).Infer();
  if (!CheckAccuracy(operation, *accuracy)) return operation.Invalid();
  return operation.Add(opcode, {operand}).Set<Attr::kResultAccuracy>(*accuracy).Infer();
}

Op Binary(Operation& operation, Opcode opcode, Op lhs, Op rhs, Ints broadcast_dimensions) {
  BroadcastOperands(operation, lhs, rhs, broadcast_dimensions);
  return operation.Add(opcode, {lhs, rhs}).Infer();
}

// The type that goes without saying is not said.
Op Comparison(Operation& operation, Op lhs, Op rhs, Ints broadcast_dimensions,
              ComparisonDirection direction, const std::optional<ComparisonType>& type) {
  const ComparisonType usual = DefaultComparisonType(lhs.shape().element_type());
  BroadcastOperands(operation, lhs, rhs, broadcast_dimensions);
  return operation.Add(Opcode::kCompare, {lhs, rhs})
      .Set<Attr::kDirection>(direction)
      .SetIf<Attr::kCompareType>(type.value_or(usual) != usual, type.value_or(usual))
      .Infer();
}

// Integers have one order only.
std::optional<ComparisonType> TotalOrderOf(const Op& operand) {
  if (!IsFloat(operand.shape().element_type())) return std::nullopt;
  return ComparisonType::kTotalOrder;
}

bool CheckPred(Operation& operation, const Op& operand) {
  if (!operation.ok()) return false;
  if (operand.shape().element_type() == ElementType::kPred) return true;
  operation.Fail(Rule::kBuilderLogicalPred, "`{}` is not of type pred", ShapeText(operand.shape()));
  return false;
}

// The operand's dimensions with another element type; of a type that no array has any such shape,
// for inference to complain of.
Shape WithType(const Op& operand, ElementType type) {
  if (!IsArrayType(type)) return type == ElementType::kOpaque ? Shape::Opaque() : Shape::Token();
  Shape shape = operand.shape();
  shape.set_element_type(type);
  return shape;
}

}  // namespace

#define HLO_UNARY_OPERATION(Name, opcode)                    \
  Op Name(const Op& operand, SourceLocation at) {            \
    return Unary(#Name, Opcode::k##opcode, operand, {}, at); \
  }
#define HLO_TRANSCENDENTAL_OPERATION(Name, opcode)                                               \
  Op Name(const Op& operand, const std::optional<ResultAccuracy>& accuracy, SourceLocation at) { \
    return Unary(#Name, Opcode::k##opcode, operand, accuracy, at);                               \
  }
#define HLO_BINARY_OPERATION(Name, opcode)                                              \
  Op Name(const Op& lhs, const Op& rhs, Ints broadcast_dimensions, SourceLocation at) { \
    Operation operation(#Name, at, {lhs, rhs});                                         \
    return Binary(operation, Opcode::k##opcode, lhs, rhs, broadcast_dimensions);        \
  }
#define HLO_LOGICAL_OPERATION(Name, opcode)                                                   \
  Op Name(const Op& lhs, const Op& rhs, Ints broadcast_dimensions, SourceLocation at) {       \
    Operation operation(#Name, at, {lhs, rhs});                                               \
    if (!CheckPred(operation, lhs) || !CheckPred(operation, rhs)) return operation.Invalid(); \
    return Binary(operation, Opcode::k##opcode, lhs, rhs, broadcast_dimensions);              \
  }
#define HLO_COMPARISON_OPERATION(Name, TotalOrderName, direction)                                 \
  Op Name(const Op& lhs, const Op& rhs, Ints broadcast_dimensions, SourceLocation at) {           \
    Operation operation(#Name, at, {lhs, rhs});                                                   \
    return Comparison(operation, lhs, rhs, broadcast_dimensions,                                  \
                      ComparisonDirection::k##direction, {});                                     \
  }                                                                                               \
  Op TotalOrderName(const Op& lhs, const Op& rhs, Ints broadcast_dimensions, SourceLocation at) { \
    Operation operation(#TotalOrderName, at, {lhs, rhs});                                         \
    return Comparison(operation, lhs, rhs, broadcast_dimensions,                                  \
                      ComparisonDirection::k##direction, TotalOrderOf(lhs));                      \
  }
#include "builder/elementwise.def"

Op LogicalNot(const Op& operand, SourceLocation at) {
  Operation operation("LogicalNot", at, {operand});
  if (!CheckPred(operation, operand)) return operation.Invalid();
  return operation.Add(Opcode::kNot, {operand}).Infer();
}

Op Compare(const Op& lhs, const Op& rhs, Ints broadcast_dimensions, ComparisonDirection direction,
           std::optional<ComparisonType> type, SourceLocation at) {
  Operation operation("Compare", at, {lhs, rhs});
  return Comparison(operation, lhs, rhs, broadcast_dimensions, direction, type);
}

Op Compare(const Op& lhs, const Op& rhs, ComparisonDirection direction, SourceLocation at) {
  return Compare(lhs, rhs, {}, direction, {}, at);
}

Op Conj(const Op& operand, SourceLocation at) {
  Operation operation("Conj", at, {operand});
  const Op real = operation.AddInner(Opcode::kReal, {operand}).Infer();
  const Op imag = operation.AddInner(Opcode::kImag, {operand}).Infer();
  const Op negated = operation.AddInner(Opcode::kNegate, {imag}).Infer();
  return operation.Add(Opcode::kComplex, {real, negated}).Infer();
}

Op Clamp(const Op& min, const Op& operand, const Op& max, SourceLocation at) {
  Operation operation("Clamp", at, {min, operand, max});
  Op operands[] = {min, operand, max};
  BroadcastScalars(operation, operands, Rule::kBuilderTernaryScalars);
  return operation.Add(Opcode::kClamp, std::span<const Op>(operands)).Infer();
}

namespace {

Op SelectTuple(Operation& operation, const Op& predicate, const Op& on_true, const Op& on_false) {
  const Callee true_branch = IdentityComputation(operation, on_true.shape());
  const Callee false_branch = IdentityComputation(operation, on_false.shape());
  return operation.Add(Opcode::kConditional, {predicate, on_true, on_false})
      .SetCallee<Attr::kTrueComputation>(true_branch)
      .SetCallee<Attr::kFalseComputation>(false_branch)
      .Infer();
}

}  // namespace

Op Select(const Op& predicate, const Op& on_true, const Op& on_false, SourceLocation at) {
  Operation operation("Select", at, {predicate, on_true, on_false});
  if (!operation.ok()) return operation.Invalid();
  if (on_true.shape().IsTuple() && on_false.shape().IsTuple()) {
    return SelectTuple(operation, predicate, on_true, on_false);
  }
  Op operands[] = {predicate, on_true, on_false};
  BroadcastScalars(operation, operands, Rule::kBuilderTernaryScalars);
  return operation.Add(Opcode::kSelect, std::span<const Op>(operands)).Infer();
}

Op ConvertElementType(const Op& operand, ElementType type, SourceLocation at) {
  Operation operation("ConvertElementType", at, {operand});
  if (!operation.ok()) return operation.Invalid();
  Op real = operand;
  if (IsComplex(operand.shape().element_type()) && !IsComplex(type)) {
    real = operation.AddInner(Opcode::kReal, {operand}).Infer();
  }
  return operation.Add(Opcode::kConvert, {real}).As(WithType(operand, type));
}

Op BitcastConvertType(const Op& operand, ElementType type, SourceLocation at) {
  Operation operation("BitcastConvertType", at, {operand});
  if (!operation.ok()) return operation.Invalid();
  return operation.Add(Opcode::kBitcastConvert, {operand}).InferFrom(WithType(operand, type));
}

Op Bitcast(const Op& operand, const Shape& shape, SourceLocation at) {
  Operation operation("Bitcast", at, {operand});
  return operation.Add(Opcode::kBitcast, {operand}).As(shape);
}

Op ReducePrecision(const Op& operand, ExponentBits exponent_bits, MantissaBits mantissa_bits,
                   SourceLocation at) {
  Operation operation("ReducePrecision", at, {operand});
  return operation.Add(Opcode::kReducePrecision, {operand})
      .Set<Attr::kExponentBits>(exponent_bits.count)
      .Set<Attr::kMantissaBits>(mantissa_bits.count)
      .InferFrom(operand.shape());
}

Op StochasticConvertType(const Op& operand, const Op& random, ElementType type, SourceLocation at) {
  Operation operation("StochasticConvertType", at, {operand, random});
  if (!operation.ok()) return operation.Invalid();
  return operation.Add(Opcode::kStochasticConvert, {operand, random}).As(WithType(operand, type));
}

}  // namespace hlo::ops
