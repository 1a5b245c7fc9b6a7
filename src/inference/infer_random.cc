// Random numbers (verifier.md 3.13): the written shape says how many.
#include "inference/compatibility.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"

namespace hlo {

std::optional<Shape> InferRng(const OpView& op, DiagnosticSink& sink) {
  if (op.operand_count() != 2) {
    return sink.Error(Rule::kRngOperandCount, op.opcode_range(), "`rng` takes 2 operands, found {}",
                      op.operand_count());
  }
  if (!CheckScalar(op, 0, Rule::kRngScalarParams, sink) ||
      !CheckScalar(op, 1, Rule::kRngScalarParams, sink) ||
      !CheckSameType(op, 0, 1, Rule::kRngSameType, sink)) {
    return std::nullopt;
  }
  const Shape& written = *op.written_shape();
  const ElementType type = op.operand_shape(0).element_type();
  if (!written.IsArray() || !TypesCompatible(written.element_type(), type)) {
    return sink.Error(Rule::kRngSameType, op.shape_range(),
                      "the result is `{}`, the parameters are `{}`", ShapeText(written),
                      ElementTypeName(type));
  }
  const bool normal = op.Get<Attr::kDistribution>() == RandomDistribution::kNormal;
  if (!CheckElementType(op, 0, normal ? kFloat : kPred | kInteger | kFloat,
                        normal ? Rule::kRngNormalType : Rule::kRngUniformType, sink)) {
    return std::nullopt;
  }
  return written;
}

// (new state, random bits)
std::optional<Shape> InferRngBitGenerator(const OpView& op, DiagnosticSink& sink) {
  const Shape& written = *op.written_shape();
  if (!written.IsTuple()) return written;
  if (written.element_count() != 2) {
    return sink.Error(Rule::kRngBitGeneratorTuple, op.shape_range(),
                      "the result `{}` has {} elements instead of state and data",
                      ShapeText(written), written.element_count());
  }
  if (!Compatible(written.element(0), op.operand_shape(0))) {
    return sink.Error(Rule::kRngBitGeneratorStateShape, op.shape_range(),
                      "the new state is `{}`, the old one `{}`", ShapeText(written.element(0)),
                      ShapeText(op.operand_shape(0)));
  }
  return Shape::Tuple({op.operand_shape(0), written.element(1)});
}

std::optional<Shape> InferRngGetAndUpdateState(const OpView& op, DiagnosticSink& sink) {
  const Shape state = Shape::ArrayWithDefaultLayout(ElementType::kU64, {{2}});
  if (!Compatible(state, *op.written_shape())) {
    return sink.Error(Rule::kRngGetAndUpdateStateShape, op.shape_range(),
                      "the result is `{}`, the state is `u64[2]`", ShapeText(*op.written_shape()));
  }
  return state;
}

}  // namespace hlo
