// Opcodes that make, copy or name values without computing: leaves, copies, tuples, dynamic sizes
// (verifier.md 3.5, 3.15). infer_reshape.cc and infer_slicing.cc have the rest of the family.
#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "ir/literal.h"

namespace hlo {
namespace {

// The dimension that get-dimension-size and set-dimension-size are about.
std::optional<int64_t> SizedDimension(const OpView& op, Rule array_rule, Rule dimension_rule,
                                      Rule int32_rule, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, array_rule, sink)) return std::nullopt;
  const Shape& operand = op.operand_shape(0);
  const std::optional<int64_t> dimension = SingleDimension(op, sink);
  if (!dimension ||
      !CheckDimension(op, Attr::kDimensions, *dimension, operand.rank(), dimension_rule, sink)) {
    return std::nullopt;
  }
  if (operand.dim(*dimension) > INT32_MAX) {
    return sink.Error(int32_rule, op.operand_range(0),
                      "the size {} of dimension {} does not fit s32", operand.dim(*dimension),
                      *dimension);
  }
  return dimension;
}

}  // namespace

std::optional<Shape> InferConstant(const OpView& op, DiagnosticSink& sink) {
  const Literal* literal = op.Get<Attr::kConstantValue>().literal;
  if (literal == nullptr) {
    return sink.Error(Rule::kConstantLiteral, op.opcode_range(), "`constant` has no value");
  }
  if (!Compatible(literal->shape(), *op.written_shape())) {
    return sink.Error(Rule::kConstantLiteral, op.shape_range(),
                      "the result is `{}`, the value of the constant `{}`",
                      ShapeText(*op.written_shape()), ShapeText(literal->shape()));
  }
  return *op.written_shape();
}

std::optional<Shape> InferCopy(const OpView& op, DiagnosticSink&) { return op.operand_shape(0); }

std::optional<Shape> InferGetDimensionSize(const OpView& op, DiagnosticSink& sink) {
  if (!SizedDimension(op, Rule::kGetDimensionSizeArray, Rule::kGetDimensionSizeDimension,
                      Rule::kGetDimensionSizeInt32, sink)) {
    return std::nullopt;
  }
  return Shape::Scalar(ElementType::kS32);
}

std::optional<Shape> InferGetTupleElement(const OpView& op, DiagnosticSink& sink) {
  const Shape& tuple = op.operand_shape(0);
  const int64_t index = op.Get<Attr::kIndex>();
  if (!tuple.IsTuple()) {
    return sink.Error(Rule::kGetTupleElementTuple, op.operand_range(0),
                      "the operand is `{}`, not a tuple", ShapeText(tuple));
  }
  if (index < 0 || index >= tuple.element_count()) {
    return sink.Error(Rule::kGetTupleElementIndex, op.attribute_range(Attr::kIndex),
                      "`index={}` of a tuple of {} element{}", index, tuple.element_count(),
                      tuple.element_count() == 1 ? "" : "s");
  }
  return tuple.element(index);
}

std::optional<Shape> InferIota(const OpView& op, DiagnosticSink& sink) {
  const Shape& result = *op.written_shape();
  if (!result.IsArray()) {
    return sink.Error(Rule::kIotaArray, op.shape_range(), "the result `{}` is not an array",
                      ShapeText(result));
  }
  if (result.rank() == 0) {
    return sink.Error(Rule::kIotaRank, op.shape_range(), "the result `{}` has no dimension",
                      ShapeText(result));
  }
  if (!CheckDimension(op, Attr::kIotaDimension, op.Get<Attr::kIotaDimension>(), result.rank(),
                      Rule::kIotaDimension, sink)) {
    return std::nullopt;
  }
  if (!IsIn(result.element_type(), kInteger | kFloat | kComplex)) {
    return sink.Error(Rule::kIotaElementType, op.shape_range(),
                      "the result `{}` is not of integer, floating-point or complex type",
                      ShapeText(result));
  }
  return result;
}

std::optional<Shape> InferOptimizationBarrier(const OpView& op, DiagnosticSink&) {
  return op.operand_shape(0);
}

std::optional<Shape> InferParameter(const OpView& op, DiagnosticSink&) {
  return *op.written_shape();
}

// A result that is written without the dynamic dimension removes it (verifier.md 3.15).
std::optional<Shape> InferSetDimensionSize(const OpView& op, DiagnosticSink& sink) {
  const std::optional<int64_t> dimension =
      SizedDimension(op, Rule::kSetDimensionSizeArray, Rule::kSetDimensionSizeDimension,
                     Rule::kSetDimensionSizeInt32, sink);
  if (!dimension) return std::nullopt;
  const Shape& value = op.operand_shape(1);
  if (!value.IsScalar() || value.element_type() != ElementType::kS32) {
    return sink.Error(Rule::kSetDimensionSizeValue, op.operand_range(1),
                      "the size is `{}`, not `s32[]`", ShapeText(value));
  }
  Shape result = op.operand_shape(0);
  const Shape* written = op.written_shape();
  const bool removes = written != nullptr && written->IsArray() && *dimension < written->rank() &&
                       !IsDynamicDim(*written, *dimension);
  result.set_dynamic(*dimension, !removes);
  return result;
}

std::optional<Shape> InferTuple(const OpView& op, DiagnosticSink& sink) {
  std::vector<Shape> elements;
  for (int64_t i = 0; i < op.operand_count(); ++i) elements.push_back(op.operand_shape(i));
  const Shape* written = op.written_shape();
  if (written == nullptr) return Shape::Tuple(std::move(elements));
  if (!written->IsTuple() || written->element_count() != op.operand_count()) {
    return sink.Error(Rule::kTupleArity, op.shape_range(), "`{}` is not a tuple of {} element{}",
                      ShapeText(*written), op.operand_count(), op.operand_count() == 1 ? "" : "s");
  }
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (Compatible(elements[i], written->element(i))) continue;
    return sink.Error(Rule::kTupleElementShape, op.operand_range(i),
                      "operand {} is `{}`, element {} of the result `{}`", i,
                      ShapeText(elements[i]), i, ShapeText(written->element(i)));
  }
  return Shape::Tuple(std::move(elements));
}

}  // namespace hlo
