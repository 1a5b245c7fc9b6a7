// gather (verifier.md 3.8).
#include "inference/compatibility.h"
#include "inference/index_vector_checks.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "support/count_text.h"

namespace hlo {
namespace {

bool CheckGatherLists(const OpView& op, const Shape& indices, DiagnosticSink& sink) {
  const int64_t rank = op.operand_shape(0).rank();
  const DimensionList offset = DimensionList::Of<Attr::kOffsetDims>(op, sink);
  const DimensionList collapsed = DimensionList::Of<Attr::kCollapsedSliceDims>(op, sink);
  const DimensionList map = DimensionList::Of<Attr::kStartIndexMap>(op, sink);
  const DimensionList batching = DimensionList::Of<Attr::kOperandBatchingDims>(op, sink);
  const DimensionList indices_batching =
      DimensionList::Of<Attr::kStartIndicesBatchingDims>(op, sink);
  const IndexMapRules map_rules = {Rule::kGatherStartIndexMapSize, Rule::kGatherStartIndexMapRange,
                                   Rule::kGatherStartIndexMapUnique};
  const BatchingRules batching_rules = {
      Rule::kGatherBatchingSameLength,    Rule::kGatherOperandBatchingRange,
      Rule::kGatherOperandBatchingSorted, Rule::kGatherIndicesBatchingRange,
      Rule::kGatherIndicesBatchingUnique, Rule::kGatherBatchingDisjoint};
  return offset.Increasing(Rule::kGatherOffsetDimsSorted) &&
         offset.InRange(offset.size() + indices.rank() - 1, Rule::kGatherOffsetDimsRange) &&
         CheckIndexMap(op, map, indices, rank, map_rules, sink) &&
         collapsed.InRange(rank, Rule::kGatherCollapsedRange) &&
         collapsed.Increasing(Rule::kGatherCollapsedSorted) &&
         CheckBatching(op, batching, indices_batching, rank, indices.rank(), batching_rules,
                       sink) &&
         CheckDisjoint(batching, collapsed, Rule::kGatherBatchingDisjoint, sink);
}

bool CheckSliceSize(const OpView& op, int64_t d, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  const int64_t size = op.Get<Attr::kSliceSizes>()[d];
  const SourceRange range = op.attribute_range(Attr::kSliceSizes);
  if (size < 0 || (!operand.is_unbounded(d) && size > operand.dim(d))) {
    return sink.Error(Rule::kGatherSliceSizeRange, range,
                      "the slice size {} of dimension {} does not fit `{}`", size, d,
                      ShapeText(operand));
  }
  if (size <= 1) return true;
  if (Contains(op.Get<Attr::kCollapsedSliceDims>(), d)) {
    return sink.Error(Rule::kGatherCollapsedSize, range,
                      "the slice size {} of the collapsed dimension {} exceeds 1", size, d);
  }
  if (Contains(op.Get<Attr::kOperandBatchingDims>(), d)) {
    return sink.Error(Rule::kGatherBatchingSize, range,
                      "the slice size {} of the batching dimension {} exceeds 1", size, d);
  }
  return true;
}

bool CheckSliceSizes(const OpView& op, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  const int64_t size_count = static_cast<int64_t>(op.Get<Attr::kSliceSizes>().size());
  if (size_count != operand.rank()) {
    return sink.Error(Rule::kGatherSliceSizesCount, op.attribute_range(Attr::kSliceSizes),
                      "`slice_sizes` has {} for the {} of `{}`", CountText(size_count, "size"),
                      CountText(operand.rank(), "dimension"), ShapeText(operand));
  }
  const size_t window_rank = op.Get<Attr::kOffsetDims>().size() +
                             op.Get<Attr::kCollapsedSliceDims>().size() +
                             op.Get<Attr::kOperandBatchingDims>().size();
  if (static_cast<int64_t>(window_rank) != operand.rank()) {
    return sink.Error(
        Rule::kGatherWindowRank, op.attribute_range(Attr::kOffsetDims),
        "{} offset, {} collapsed and {} batching dimensions do not make the {} of "
        "`{}`",
        op.Get<Attr::kOffsetDims>().size(), op.Get<Attr::kCollapsedSliceDims>().size(),
        op.Get<Attr::kOperandBatchingDims>().size(), operand.rank(), ShapeText(operand));
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!CheckSliceSize(op, d, sink)) return false;
  }
  return true;
}

// Offset dimensions take the slice sizes that are left, the others the dimensions of the indices.
Shape GatheredShape(const OpView& op, const Shape& indices) {
  const Shape& operand = op.operand_shape(0);
  const IntList offset_dims = op.Get<Attr::kOffsetDims>();
  const IntList slice_sizes = op.Get<Attr::kSliceSizes>();
  const int64_t result_rank = static_cast<int64_t>(offset_dims.size()) + indices.rank() - 1;
  Shape result = Shape::Array(operand.element_type(), {});
  int64_t window = 0;
  int64_t batch = 0;
  for (int64_t k = 0; k < result_rank; ++k) {
    if (Contains(offset_dims, k)) {
      while (Contains(op.Get<Attr::kCollapsedSliceDims>(), window) ||
             Contains(op.Get<Attr::kOperandBatchingDims>(), window)) {
        ++window;
      }
      const bool whole = slice_sizes[window] == operand.dim(window);
      result.AppendDim(slice_sizes[window], whole && IsDynamicDim(operand, window));
      ++window;
    } else {
      if (batch == op.Get<Attr::kIndexVectorDim>()) ++batch;
      AppendDimOf(result, indices, batch++);
    }
  }
  return result;
}

}  // namespace

std::optional<Shape> InferGather(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kGatherOperandArray, sink) ||
      !CheckElementType(op, 1, kInteger, Rule::kGatherIndicesIntegral, sink) ||
      !CheckIndexVectorDim(op, op.operand_shape(1), Rule::kGatherIndexVectorDim, sink)) {
    return std::nullopt;
  }
  const Shape indices = WithVectorDim(op, op.operand_shape(1));
  if (!CheckGatherLists(op, indices, sink) || !CheckSliceSizes(op, sink)) return std::nullopt;
  return GatheredShape(op, indices);
}

}  // namespace hlo
