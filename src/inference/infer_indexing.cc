// dynamic-slice and dynamic-update-slice (verifier.md 3.5).
#include "inference/compatibility.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "support/count_text.h"

namespace hlo {
namespace {

struct IndexRules {
  Rule count;
  Rule type;
  Rule same_shape;
};

// The start indices from operand `first` on: a scalar for each dimension, or, in an older form,
// one array of them.
bool CheckStartIndices(const OpView& op, int64_t first, int64_t rank, const IndexRules& rules,
                       DiagnosticSink& sink) {
  const int64_t count = op.operand_count() - first;
  const bool is_vector =
      count == 1 && op.operand_shape(first).IsArray() && op.operand_shape(first).rank() == 1;
  if (is_vector) {
    if (!SizesCompatible(op.operand_shape(first).dim(0), rank)) {
      return sink.Error(rules.count, op.operand_range(first), "`{}` holds {} start indices for {}",
                        ShapeText(op.operand_shape(first)), op.operand_shape(first).dim(0),
                        CountText(rank, "dimension"));
    }
    return CheckElementType(op, first, kInteger, rules.type, sink);
  }
  if (count != rank) {
    return sink.Error(rules.count, op.opcode_range(), "`{}` has {} for {}", OpcodeName(op.opcode()),
                      count == 1 ? "1 start index" : fmt::format("{} start indices", count),
                      CountText(rank, "dimension"));
  }
  for (int64_t i = first; i < op.operand_count(); ++i) {
    if (!CheckScalar(op, i, rules.same_shape, sink) ||
        !CheckElementType(op, i, kInteger, rules.type, sink)) {
      return false;
    }
    if (op.operand_shape(i).element_type() == op.operand_shape(first).element_type()) continue;
    return sink.Error(rules.same_shape, op.operand_range(i),
                      "the start indices have different types, `{}` and `{}`",
                      ShapeText(op.operand_shape(first)), ShapeText(op.operand_shape(i)));
  }
  return true;
}

}  // namespace

std::optional<Shape> InferDynamicSlice(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kUnaryOperandArray, sink)) return std::nullopt;
  const Shape& operand = op.operand_shape(0);
  const IntList sizes = op.Get<Attr::kDynamicSliceSizes>();
  const SourceRange range = op.attribute_range(Attr::kDynamicSliceSizes);
  const IndexRules rules = {Rule::kDynamicSliceIndexCount, Rule::kDynamicSliceIndexType,
                            Rule::kDynamicSliceIndexSameShape};
  if (!CheckStartIndices(op, 1, operand.rank(), rules, sink)) return std::nullopt;
  if (static_cast<int64_t>(sizes.size()) != operand.rank()) {
    return sink.Error(Rule::kDynamicSliceSizesCount, range,
                      "`dynamic_slice_sizes` has {} for the {} of `{}`",
                      CountText(static_cast<int64_t>(sizes.size()), "size"),
                      CountText(operand.rank(), "dimension"), ShapeText(operand));
  }
  Shape result = Shape::Array(operand.element_type(), {});
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (sizes[d] < 0 || (!operand.is_unbounded(d) && sizes[d] > operand.dim(d))) {
      return sink.Error(Rule::kDynamicSliceSizeRange, range,
                        "the size {} of dimension {} does not fit `{}`", sizes[d], d,
                        ShapeText(operand));
    }
    result.AppendDim(sizes[d],
                     IsDynamicDim(operand, d) && sizes[d] > 1 && sizes[d] == operand.dim(d));
  }
  return result;
}

std::optional<Shape> InferDynamicUpdateSlice(const OpView& op, DiagnosticSink& sink) {
  const Shape& whole = op.operand_shape(0);
  if (!whole.IsArray() && !whole.IsBuffer()) {
    return sink.Error(Rule::kDynamicUpdateSliceOperand, op.operand_range(0),
                      "the operand `{}` is neither an array nor a buffer", ShapeText(whole));
  }
  if (!CheckArray(op, 1, Rule::kDynamicUpdateSliceOperand, sink)) return std::nullopt;
  const Shape& operand = whole.IsBuffer() ? whole.element(0) : whole;
  const Shape& update = op.operand_shape(1);
  const IndexRules rules = {Rule::kDynamicUpdateSliceIndexCount, Rule::kDynamicUpdateSliceIndexType,
                            Rule::kDynamicUpdateSliceIndexType};
  if (!CheckStartIndices(op, 2, operand.rank(), rules, sink)) return std::nullopt;
  if (update.rank() != operand.rank()) {
    return sink.Error(Rule::kDynamicUpdateSliceRank, op.operand_range(1),
                      "the update `{}` has {}, the operand `{}` has {}", ShapeText(update),
                      CountText(update.rank(), "dimension"), ShapeText(operand), operand.rank());
  }
  if (!TypesCompatible(operand.element_type(), update.element_type())) {
    return sink.Error(Rule::kDynamicUpdateSliceElementType, op.operand_range(1),
                      "the update `{}` has another element type than `{}`", ShapeText(update),
                      ShapeText(operand));
  }
  if (whole.IsBuffer() && op.written_shape() != nullptr && !op.written_shape()->IsBuffer()) {
    return sink.Error(Rule::kBufferDus, op.shape_range(),
                      "the update of the buffer `{}` gives a buffer, not `{}`", ShapeText(whole),
                      ShapeText(*op.written_shape()));
  }
  Shape result = whole;
  Shape& array = whole.IsBuffer() ? result.mutable_element(0) : result;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool sized = !update.is_unbounded(d) && !operand.is_unbounded(d);
    if (sized && update.dim(d) > operand.dim(d)) {
      return sink.Error(Rule::kDynamicUpdateSliceSizeRange, op.operand_range(1),
                        "dimension {} of the update `{}` exceeds that of `{}`", d,
                        ShapeText(update), ShapeText(operand));
    }
    if (sized && IsDynamicDim(update, d) && update.dim(d) == operand.dim(d)) {
      array.set_dynamic(d, true);
    }
  }
  return result;
}

}  // namespace hlo
