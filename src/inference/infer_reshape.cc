// Opcodes that give the same elements another arrangement or other dimensions (verifier.md 3.4,
// 3.5).
#include <algorithm>

#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "support/checked_math.h"
#include "support/count_text.h"

namespace hlo {
namespace {

// Operand 0 and the written result are arrays.
bool CheckArrayToArray(const OpView& op, Rule rule, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, rule, sink)) return false;
  if (op.written_shape()->IsArray()) return true;
  return sink.Error(rule, op.shape_range(), "the result `{}` is not an array",
                    ShapeText(*op.written_shape()));
}

// The written result keeps the element type of operand 0, whatever precisions may be mixed.
bool CheckKeepsElementType(const OpView& op, Rule rule, DiagnosticSink& sink) {
  const ElementType operand = op.operand_shape(0).element_type();
  const ElementType result = op.written_shape()->element_type();
  if (operand == result) return true;
  return sink.Error(rule, op.shape_range(), "`{}` keeps the element type `{}`, the result is `{}`",
                    OpcodeName(op.opcode()), ElementTypeName(operand), ElementTypeName(result));
}

bool CheckSameElementCount(const OpView& op, Rule rule, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  if (operand.HasUnboundedDim() || result.HasUnboundedDim()) return true;
  const std::optional<int64_t> operand_count = CheckedProduct(operand.dims());
  const std::optional<int64_t> result_count = CheckedProduct(result.dims());
  if (!operand_count || !result_count || operand_count == result_count) return true;
  return sink.Error(rule, op.shape_range(), "`{}` has {} elements, the operand `{}` has {}",
                    ShapeText(result), *result_count, ShapeText(operand), *operand_count);
}

bool CheckBroadcastSizes(const OpView& op, const DimensionList& dimensions, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.dim(d) == result.dim(dimensions[d])) continue;
    return sink.Error(Rule::kBroadcastSizeMatch, op.operand_range(0),
                      "dimension {} of `{}` has size {}, dimension {} of the result `{}` has {}", d,
                      ShapeText(operand), operand.dim(d), dimensions[d], ShapeText(result),
                      result.dim(dimensions[d]));
  }
  return true;
}

}  // namespace

std::optional<Shape> InferBitcast(const OpView& op, DiagnosticSink&) { return *op.written_shape(); }

// A wider type splits into a new minor dimension, narrower ones join along the last.
std::optional<Shape> InferBitcastConvert(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrayToArray(op, Rule::kBitcastConvertArray, sink)) return std::nullopt;
  Shape result = op.operand_shape(0);
  const ElementType from = result.element_type();
  const ElementType to = op.written_shape()->element_type();
  if (IsComplex(from) != IsComplex(to)) {
    return sink.Error(Rule::kBitcastConvertComplex, op.shape_range(),
                      "`{}` and `{}` are not both complex or both real", ElementTypeName(from),
                      ElementTypeName(to));
  }
  const int from_bits = BitWidth(from);
  const int to_bits = BitWidth(to);
  result.set_element_type(to);
  if (from_bits == to_bits) return result;
  if (std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return sink.Error(Rule::kBitcastConvertWidthMultiple, op.shape_range(),
                      "the widths of `{}` and `{}`, {} and {} bits, are not multiples",
                      ElementTypeName(from), ElementTypeName(to), from_bits, to_bits);
  }
  if (from_bits > to_bits) {
    result.set_layout(std::nullopt);
    result.AppendDim(from_bits / to_bits);
    return result;
  }
  const int64_t ratio = to_bits / from_bits;
  if (result.rank() == 0 || !SizesCompatible(result.dim(result.rank() - 1), ratio)) {
    return sink.Error(Rule::kBitcastConvertLastDim, op.operand_range(0),
                      "the last dimension of `{}` must have size {} to make one `{}`",
                      ShapeText(op.operand_shape(0)), ratio, ElementTypeName(to));
  }
  result.RemoveDim(result.rank() - 1);
  return result;
}

// Dimension d of the operand is dimension dimensions[d] of the result.
std::optional<Shape> InferBroadcast(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kUnaryOperandArray, sink)) return std::nullopt;
  const Shape& operand = op.operand_shape(0);
  if (operand.HasUnboundedDim()) {
    return sink.Error(Rule::kDynamicUnboundedUnsupported, op.operand_range(0),
                      "`broadcast` of `{}`, which has an unbounded dimension", ShapeText(operand));
  }
  if (op.written_shape() == nullptr) {
    // What XLA makes of `dimensions` then contradicts them (grammar.md 6.2).
    if (operand.rank() == 0 && op.Get<Attr::kDimensions>().empty()) return operand;
    return sink.Error(Rule::kInstShapeRequired, op.opcode_range(),
                      "the result shape of `broadcast` must be written: it does not follow from "
                      "the operand `{}`",
                      ShapeText(operand));
  }
  const Shape& result = *op.written_shape();
  const DimensionList dimensions = DimensionList::Of<Attr::kDimensions>(op, sink);
  if (!CheckKeepsElementType(op, Rule::kBroadcastElementType, sink)) return std::nullopt;
  if (operand.rank() > 0 && !op.Has(Attr::kDimensions)) {
    return sink.Error(Rule::kAttrRequired, op.opcode_range(),
                      "`broadcast` of an array with {} needs the attribute `{}`",
                      CountText(operand.rank(), "dimension"), AttributeName(Attr::kDimensions));
  }
  if (dimensions.size() != operand.rank()) {
    return sink.Error(Rule::kBroadcastDimsCount, dimensions.range(),
                      "`{}` names {} for the {} of the operand `{}`", dimensions.Text(),
                      CountText(dimensions.size(), "dimension"), operand.rank(),
                      ShapeText(operand));
  }
  if (!dimensions.InRange(result.rank(), Rule::kBroadcastDimsRange) ||
      !dimensions.Distinct(Rule::kBroadcastDimsUnique) ||
      !CheckBroadcastSizes(op, dimensions, sink)) {
    return std::nullopt;
  }
  return result;
}

std::optional<Shape> InferDynamicReshape(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrayToArray(op, Rule::kReshapeArray, sink) ||
      !CheckKeepsElementType(op, Rule::kDynamicReshapeElementType, sink)) {
    return std::nullopt;
  }
  const Shape& result = *op.written_shape();
  if (op.operand_count() != 1 + result.rank()) {
    return sink.Error(Rule::kDynamicReshapeOperands, op.opcode_range(),
                      "`dynamic-reshape` to `{}` takes {} operands, found {}", ShapeText(result),
                      1 + result.rank(), op.operand_count());
  }
  if (!CheckSameElementCount(op, Rule::kDynamicReshapeCount, sink)) return std::nullopt;
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    if (op.operand_shape(i).element_type() == ElementType::kS32) continue;
    return sink.Error(Rule::kDynamicReshapeSizesS32, op.operand_range(i),
                      "the size of dimension {} is `{}`, not s32", i - 1,
                      ShapeText(op.operand_shape(i)));
  }
  return result;
}

std::optional<Shape> InferReshape(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrayToArray(op, Rule::kReshapeArray, sink) ||
      !CheckKeepsElementType(op, Rule::kReshapeElementType, sink)) {
    return std::nullopt;
  }
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  if (result.HasUnboundedDim()) {
    return sink.Error(Rule::kReshapeUnboundedResult, op.shape_range(),
                      "the result `{}` has an unbounded dimension", ShapeText(result));
  }
  bool has_bounded = false;
  for (int64_t d = 0; d < operand.rank(); ++d) has_bounded |= IsBoundedDim(operand, d);
  if (has_bounded && operand.HasUnboundedDim()) {
    return sink.Error(Rule::kReshapeMixedDynamism, op.operand_range(0),
                      "the operand `{}` has both bounded and unbounded dimensions",
                      ShapeText(operand));
  }
  if (!CheckSameElementCount(op, Rule::kReshapeCount, sink)) return std::nullopt;
  return result;
}

std::optional<Shape> InferReverse(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kUnaryOperandArray, sink)) return std::nullopt;
  const DimensionList dimensions = DimensionList::Of<Attr::kDimensions>(op, sink);
  if (!dimensions.InRange(op.operand_shape(0).rank(), Rule::kReverseDimsRange) ||
      !dimensions.Distinct(Rule::kReverseDimsUnique)) {
    return std::nullopt;
  }
  return op.operand_shape(0);
}

namespace {

// The layout under which the transposition moves no data, as XLA's inference has it: what lies in
// memory keeps its order, only the numbers of the dimensions change.
Layout TransposedLayout(const Layout& layout, std::span<const int64_t> permutation) {
  Layout result = layout;
  for (int64_t& dimension : result.minor_to_major) {
    dimension = std::ranges::find(permutation, dimension) - permutation.begin();
  }
  return result;
}

}  // namespace

// Dimension d of the result is dimension dimensions[d] of the operand.
std::optional<Shape> InferTranspose(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kTransposeArray, sink)) return std::nullopt;
  const Shape& operand = op.operand_shape(0);
  const DimensionList permutation = DimensionList::Of<Attr::kDimensions>(op, sink);
  if (!IsPermutation(permutation.numbers(), operand.rank())) {
    return sink.Error(Rule::kTransposePermutation, permutation.range(),
                      "`{}` is not a permutation of the operand's {} dimensions",
                      permutation.Text(), operand.rank());
  }
  Shape result = Shape::Array(operand.element_type(), {});
  for (int64_t dimension : permutation.numbers()) AppendDimOf(result, operand, dimension);
  if (operand.layout() && operand.layout()->IsOrderOf(operand.rank())) {
    result.set_layout(TransposedLayout(*operand.layout(), permutation.numbers()));
  }
  return result;
}

}  // namespace hlo
