// The start indices of gather and scatter: an array of index vectors, one per batch index, in s64.
#ifndef HLOKIT_INTERP_REFERENCE_INDEX_VECTORS_H_
#define HLOKIT_INTERP_REFERENCE_INDEX_VECTORS_H_

#include <cstdint>
#include <span>

#include "interp/reference/strided.h"
#include "ir/gather_dimensions.h"

namespace hlo::reference {

class IndexVectors {
 public:
  // Of an array of sizes `dims`. Dimensions of the operand that no component and no batch index
  // starts start at 0.
  IndexVectors(std::span<const int64_t> dims, int64_t operand_rank,
               const GatherDimensions& dimensions)
      : dimensions_(dimensions), start_(static_cast<size_t>(operand_rank)) {
    const int64_t rank = static_cast<int64_t>(dims.size());
    const int64_t vector_dim = dimensions.index_vector_dim;
    const Index strides = DenseStrides(dims);
    vector_stride_ = vector_dim < rank ? strides[vector_dim] : 0;
    const int64_t excluded[] = {vector_dim};
    const Index batch = OtherDimensions(rank, excluded);
    batch_dims_ = Select(dims, AsSpan(batch));
    batch_strides_ = Select(AsSpan(strides), AsSpan(batch));
    for (int64_t dimension : dimensions.indices_batching) {
      batching_positions_.push_back(dimensions.BatchPlace(dimension));
    }
  }

  // The dimensions of the array of vectors.
  std::span<const int64_t> batch_dims() const { return AsSpan(batch_dims_); }

  // The start in every dimension of the operand, as it stands in the array `indices`: not clamped.
  // Valid until the next call.
  const Index& StartAt(const int64_t* indices, const Index& batch) {
    int64_t offset = 0;
    for (size_t d = 0; d < batch.size(); ++d) offset += batch[d] * batch_strides_[d];
    const int64_t* vector = indices + offset;
    for (size_t k = 0; k < dimensions_.index_map.size(); ++k) {
      start_[dimensions_.index_map[k]] = vector[static_cast<int64_t>(k) * vector_stride_];
    }
    for (size_t k = 0; k < dimensions_.operand_batching.size(); ++k) {
      start_[dimensions_.operand_batching[k]] = batch[batching_positions_[k]];
    }
    return start_;
  }

 private:
  GatherDimensions dimensions_;
  Index batch_dims_, batch_strides_;
  Index batching_positions_;  // in batch_dims_
  int64_t vector_stride_;
  Index start_;
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_INDEX_VECTORS_H_
