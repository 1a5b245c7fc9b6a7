// The dimensions of gather and scatter by role (semantics.md 7.6). Both are seen alike: an operand,
// an index vector for each batch index, and a window of the operand for each vector. The array of
// windows is gather's result, or scatter's updates.
#ifndef HLOKIT_IR_GATHER_DIMENSIONS_H_
#define HLOKIT_IR_GATHER_DIMENSIONS_H_

#include <algorithm>
#include <cstdint>

#include "ir/index_space.h"
#include "ir/op_view.h"

namespace hlo {

struct GatherDimensions {
  IntList window_dims;           // of the array of windows: those inside a window, increasing
  IntList without_window;        // of the operand: size 1 in each window, and left out of it
  IntList index_map;             // component k of a vector is the start along operand dimension [k]
  IntList operand_batching;      // operand dimension [k] starts at the batch index of ...
  IntList indices_batching;      // ... dimension [k] of the indices
  int64_t index_vector_dim = 0;  // of the indices; their rank: vectors are single numbers

  static GatherDimensions Of(const OpView& op) {
    if (op.opcode() == Opcode::kGather) {
      return {op.Get<Attr::kOffsetDims>(),
              op.Get<Attr::kCollapsedSliceDims>(),
              op.Get<Attr::kStartIndexMap>(),
              op.Get<Attr::kOperandBatchingDims>(),
              op.Get<Attr::kStartIndicesBatchingDims>(),
              op.Get<Attr::kIndexVectorDim>()};
    }
    return {op.Get<Attr::kUpdateWindowDims>(),           op.Get<Attr::kInsertedWindowDims>(),
            op.Get<Attr::kScatterDimsToOperandDims>(),   op.Get<Attr::kInputBatchingDims>(),
            op.Get<Attr::kScatterIndicesBatchingDims>(), op.Get<Attr::kIndexVectorDim>()};
  }

  // The component of index vectors that is the start along an operand dimension; -1: none is.
  int64_t ComponentOf(int64_t operand_dim) const { return PlaceIn(index_map, operand_dim); }

  // Where a dimension of the indices stands among the batch dimensions, and back.
  int64_t BatchPlace(int64_t indices_dim) const {
    return indices_dim < index_vector_dim ? indices_dim : indices_dim - 1;
  }
  int64_t IndicesDim(int64_t batch_place) const {
    return batch_place < index_vector_dim ? batch_place : batch_place + 1;
  }

  // The batch coordinate at which an operand dimension starts; -1: at none.
  int64_t BatchOf(int64_t operand_dim) const {
    const int64_t k = PlaceIn(operand_batching, operand_dim);
    return k < 0 ? -1 : BatchPlace(indices_batching[static_cast<size_t>(k)]);
  }

  // The operand's dimensions that windows have, in their order there.
  Index WindowedDims(int64_t operand_rank) const {
    Index windowed;
    for (int64_t d = 0; d < operand_rank; ++d) {
      if (PlaceIn(without_window, d) < 0 && PlaceIn(operand_batching, d) < 0) windowed.push_back(d);
    }
    return windowed;
  }

  // The dimensions of the array of windows that count windows.
  Index BatchDims(int64_t windows_rank) const {
    Index batch;
    for (int64_t d = 0; d < windows_rank; ++d) {
      if (PlaceIn(window_dims, d) < 0) batch.push_back(d);
    }
    return batch;
  }

 private:
  static int64_t PlaceIn(IntList numbers, int64_t number) {
    const auto found = std::ranges::find(numbers, number);
    return found == numbers.end() ? -1 : found - numbers.begin();
  }
};

}  // namespace hlo

#endif  // HLOKIT_IR_GATHER_DIMENSIONS_H_
