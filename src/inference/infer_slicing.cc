// Opcodes that cut, pad and join arrays at places the text knows (verifier.md 3.5).
#include <algorithm>

#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "support/checked_math.h"
#include "support/count_text.h"

namespace hlo {
namespace {

// What concatenation asks of a dimension it does not join: the more specific size of both, `<=`
// included; nothing after a report.
bool MergeConcatenatedDim(const OpView& op, int64_t i, int64_t d, Shape& result,
                          DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(i);
  if (!SizesCompatible(result.dim(d), operand.dim(d))) {
    const bool bounds = IsBoundedDim(result, d) && IsBoundedDim(operand, d);
    return sink.Error(bounds ? Rule::kConcatenateBoundMismatch : Rule::kConcatenateOtherDims,
                      op.operand_range(i), "dimension {} of `{}` differs from that of `{}`", d,
                      ShapeText(operand), ShapeText(op.operand_shape(0)));
  }
  if (operand.is_unbounded(d)) return true;
  const bool dynamic = IsBoundedDim(result, d) || IsBoundedDim(operand, d);
  result.set_dim(d, operand.dim(d));
  result.set_dynamic(d, dynamic);
  return true;
}

bool AppendConcatenated(const OpView& op, int64_t i, int64_t dimension, Shape& result,
                        DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(i);
  if (result.is_unbounded(dimension)) return true;
  if (operand.is_unbounded(dimension)) {
    result.set_dim(dimension, Shape::kUnbounded);
    result.set_dynamic(dimension, true);
    return true;
  }
  const std::optional<int64_t> size = CheckedAdd(result.dim(dimension), operand.dim(dimension));
  if (!size) {
    return sink.Error(Rule::kShapeCountOverflow, op.operand_range(i),
                      "the sizes along dimension {} sum to more than 2^63 - 1", dimension);
  }
  result.set_dim(dimension, *size);
  if (operand.is_dynamic(dimension)) result.set_dynamic(dimension, true);
  return true;
}

bool CheckConcatenated(const OpView& op, int64_t i, DiagnosticSink& sink) {
  const Shape& first = op.operand_shape(0);
  const Shape& operand = op.operand_shape(i);
  if (operand.rank() != first.rank()) {
    return sink.Error(Rule::kConcatenateRank, op.operand_range(i),
                      "`{}` has {}, operand 0 `{}` has {}", ShapeText(operand),
                      CountText(operand.rank(), "dimension"), ShapeText(first), first.rank());
  }
  return CheckSameType(op, 0, i, Rule::kConcatenateElementType, sink);
}

// The size of a padded dimension, or nothing after a report.
std::optional<int64_t> PaddedSize(const OpView& op, int64_t d, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kPadding);
  const PaddingDimension& padding = op.Get<Attr::kPadding>()[d];
  const int64_t size = op.operand_shape(0).dim(d);
  if (padding.interior < 0) {
    return sink.Error(Rule::kPadInteriorNonnegative, range,
                      "the interior padding {} of dimension {} is negative", padding.interior, d);
  }
  if (size == Shape::kUnbounded) return size;
  // In 128 bits nothing overflows.
  const __int128 padded = static_cast<__int128>(std::max<int64_t>(size - 1, 0)) * padding.interior +
                          size + padding.low + padding.high;
  if (padded > INT64_MAX) {
    return sink.Error(Rule::kPadOverflow, range, "the padded size of dimension {} exceeds 2^63 - 1",
                      d);
  }
  if (padded < 0) {
    return sink.Error(Rule::kPadResultNonnegative, range,
                      "padding dimension {} of size {} by {} and {} leaves {} elements", d, size,
                      padding.low, padding.high, padded);
  }
  return static_cast<int64_t>(padded);
}

bool CheckSliceRange(const OpView& op, int64_t d, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kSliceRanges);
  const SliceRange slice = op.Get<Attr::kSliceRanges>()[d];
  const int64_t size = op.operand_shape(0).dim(d);
  if (slice.start < 0) {
    return sink.Error(Rule::kSliceStart, range, "the start {} of dimension {} is negative",
                      slice.start, d);
  }
  if (slice.start > slice.limit) {
    return sink.Error(Rule::kSliceLimit, range,
                      "the limit {} of dimension {} is below the start {}", slice.limit, d,
                      slice.start);
  }
  if (size != Shape::kUnbounded && slice.limit > size) {
    return sink.Error(Rule::kSliceLimit, range, "the limit {} of dimension {} exceeds its size {}",
                      slice.limit, d, size);
  }
  if (slice.stride < 1) {
    return sink.Error(Rule::kSliceStride, range, "the stride {} of dimension {} is less than 1",
                      slice.stride, d);
  }
  return true;
}

}  // namespace

std::optional<Shape> InferConcatenate(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kConcatenateRank, sink)) return std::nullopt;
  const std::optional<int64_t> dimension = SingleDimension(op, sink);
  Shape result = op.operand_shape(0);
  if (!dimension || !CheckDimension(op, Attr::kDimensions, *dimension, result.rank(),
                                    Rule::kConcatenateDimensionRange, sink)) {
    return std::nullopt;
  }
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    if (!CheckConcatenated(op, i, sink)) return std::nullopt;
    const ElementType type = op.operand_shape(i).element_type();
    result.set_element_type(HigherPrecision(result.element_type(), type));
    for (int64_t d = 0; d < result.rank(); ++d) {
      const bool merged = d == *dimension ? AppendConcatenated(op, i, d, result, sink)
                                          : MergeConcatenatedDim(op, i, d, result, sink);
      if (!merged) return std::nullopt;
    }
  }
  result.set_layout(std::nullopt);
  return result;
}

std::optional<Shape> InferPad(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kPadOperandArray, sink)) return std::nullopt;
  const Shape& operand = op.operand_shape(0);
  const Shape& value = op.operand_shape(1);
  if (value.IsArray() && value.HasDynamicDim()) {
    return sink.Error(Rule::kPadValueStatic, op.operand_range(1),
                      "the padding value `{}` has a dynamic dimension", ShapeText(value));
  }
  if (!CheckScalar(op, 1, Rule::kPadValueScalar, sink) ||
      !CheckSameType(op, 0, 1, Rule::kPadValueType, sink)) {
    return std::nullopt;
  }
  const int64_t group_count = static_cast<int64_t>(op.Get<Attr::kPadding>().size());
  if (group_count != operand.rank()) {
    return sink.Error(Rule::kPadConfigRank, op.attribute_range(Attr::kPadding),
                      "`padding` has {} for the {} of `{}`", CountText(group_count, "group"),
                      CountText(operand.rank(), "dimension"), ShapeText(operand));
  }
  Shape result = Shape::Array(HigherPrecision(operand.element_type(), value.element_type()), {});
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const std::optional<int64_t> size = PaddedSize(op, d, sink);
    if (!size) return std::nullopt;
    result.AppendDim(*size, IsDynamicDim(operand, d));
  }
  return result;
}

// ceil((limit - start) / stride) elements of each dimension.
std::optional<Shape> InferSlice(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kSliceArray, sink)) return std::nullopt;
  const Shape& operand = op.operand_shape(0);
  const SliceRanges ranges = op.Get<Attr::kSliceRanges>();
  if (static_cast<int64_t>(ranges.size()) != operand.rank()) {
    return sink.Error(Rule::kSliceRank, op.attribute_range(Attr::kSliceRanges),
                      "`slice` has {} for the {} of `{}`",
                      CountText(static_cast<int64_t>(ranges.size()), "range"),
                      CountText(operand.rank(), "dimension"), ShapeText(operand));
  }
  Shape result = Shape::Array(operand.element_type(), {});
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!CheckSliceRange(op, d, sink)) return std::nullopt;
    const int64_t size = CeilDiv(ranges[d].limit - ranges[d].start, ranges[d].stride);
    result.AppendDim(size, IsBoundedDim(operand, d) && size != 1);
  }
  return result;
}

}  // namespace hlo
