// Most scatters are of rows, whose indices need not be copied or looked at by dimension: what comes
// of an index vector is a sum of few products.
#include "interp/simd/movement/row_targets.h"

#include "interp/reference/strided.h"
#include "interp/simd/movement/scatter_operands.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxRowSize = int64_t{1} << 20;  // elements between two looks at least

// Whether every window is a row: all of the operand behind its leading dimensions, which are those
// that indices or batches start; or one element.
bool TakesRows(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& updates = UpdatesOf(op);
  const GatherDimensions dimensions = GatherDimensions::Of(op);
  const Index windowed = dimensions.WindowedDims(operand.rank());
  for (size_t k = 0; k < windowed.size(); ++k) {
    const auto d = operand.rank() - static_cast<int64_t>(windowed.size() - k);
    if (windowed[k] != d || dimensions.ComponentOf(d) >= 0 ||
        updates.dim(dimensions.window_dims[k]) != operand.dim(d)) {
      return false;
    }
  }
  return true;
}

}  // namespace

RowTargets::RowTargets(const Evaluation& e)
    : indices_(IndicesOf(e)), row_size_(1), count_(1), component_count_(0) {
  const GatherDimensions dimensions = GatherDimensions::Of(e.op());
  const std::span<const int64_t> dims = e.operand(0).dims;
  const ArrayRef& updates = UpdatesOf(e, 0);
  const std::span<const int64_t> update_dims = updates.dims;
  const Index strides = reference::DenseStrides(dims);
  for (const int64_t d : dimensions.index_map) {
    components_[component_count_++] = {dims[static_cast<size_t>(d)],
                                       strides[static_cast<size_t>(d)]};
  }
  for (const int64_t d : dimensions.window_dims) row_size_ *= update_dims[static_cast<size_t>(d)];
  count_ = updates.element_count() / row_size_;
  batch_size_ = count_;
  batch_rank_ = dimensions.operand_batching.size();
  for (size_t k = 0; k < batch_rank_; ++k) {
    const auto d = static_cast<size_t>(dimensions.operand_batching[k]);
    batches_[static_cast<size_t>(dimensions.indices_batching[k])] = {dims[d], strides[d]};
    batch_size_ /= dims[d];
  }
}

bool RowTargets::Suit(const OpView& op) {
  const Shape& updates = UpdatesOf(op);
  const Shape& indices = IndicesOf(op);
  const GatherDimensions dimensions = GatherDimensions::Of(op);
  const bool has_vectors = dimensions.index_vector_dim < indices.rank();
  if (!TakesRows(op) || !HasLeadingBatches(op, dimensions) || !IsInteger(indices.element_type()) ||
      dimensions.index_map.size() > kMaxComponents ||
      (has_vectors && dimensions.index_vector_dim != indices.rank() - 1) ||
      CountElements(op.operand_shape(0).dims()) == 0 || CountElements(updates.dims()) == 0 ||
      (updates.layout().has_value() && !updates.layout()->IsDefault())) {
    return false;
  }
  // What does not fit together may verify with a warning.
  const auto component_count = static_cast<int64_t>(dimensions.index_map.size());
  if (component_count != (has_vectors ? indices.dim(indices.rank() - 1) : 1)) return false;
  for (const int64_t d : dimensions.index_map) {
    if (std::ranges::count(dimensions.index_map, d) > 1) return false;
  }
  int64_t row_size = 1;
  for (const int64_t d : dimensions.window_dims) row_size *= updates.dim(d);
  if (row_size > kMaxRowSize ||
      CountElements(updates.dims()) / row_size * component_count != CountElements(indices.dims())) {
    return false;
  }
  const int64_t first = updates.rank() - static_cast<int64_t>(dimensions.window_dims.size());
  for (size_t k = 0; k < dimensions.window_dims.size(); ++k) {
    if (dimensions.window_dims[k] != first + static_cast<int64_t>(k)) return false;
  }
  return true;
}

bool RowTargets::HasLeadingBatches(const OpView& op, const GatherDimensions& dimensions) {
  const size_t rank = dimensions.operand_batching.size();
  const int64_t updates_rank = UpdatesOf(op).rank();
  const auto window_rank = static_cast<int64_t>(dimensions.window_dims.size());
  if (rank > kMaxComponents || dimensions.indices_batching.size() != rank ||
      static_cast<int64_t>(rank) > updates_rank - window_rank) {
    return false;
  }
  for (size_t k = 0; k < rank; ++k) {
    const int64_t d = dimensions.operand_batching[k], batch = dimensions.indices_batching[k];
    const int64_t size = op.operand_shape(0).dim(d);
    if (batch >= static_cast<int64_t>(rank) || dimensions.BatchPlace(batch) != batch ||
        std::ranges::count(dimensions.indices_batching, batch) > 1 ||
        IndicesOf(op).dim(batch) != size || UpdatesOf(op).dim(batch) != size ||
        dimensions.ComponentOf(d) >= 0) {
      return false;
    }
  }
  return true;
}

int64_t RowTargets::BatchBegin(int64_t number) const {
  int64_t begin = 0;
  for (size_t k = batch_rank_; k-- > 0;) {
    begin += number % batches_[k].size * batches_[k].stride;
    number /= batches_[k].size;
  }
  return begin;
}

}  // namespace hlo::simd
