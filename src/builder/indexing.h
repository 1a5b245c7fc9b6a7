// Operations whose places are computed at run time. Source: verifier.md 3.5, 3.8, 4.
#ifndef HLOKIT_BUILDER_INDEXING_H_
#define HLOKIT_BUILDER_INDEXING_H_

#include <cstdint>
#include <vector>

#include "builder/op.h"

namespace hlo::ops {

// The part of `sizes` elements that begins at `start_indices`: one integer scalar for each
// dimension, all of one type, or a single vector of them. The start is moved so that the part lies
// inside. Fails as dynamic-slice.*.
Op DynamicSlice(const Op& operand, Ops start_indices, Ints sizes,
                SourceLocation at = SourceLocation::current());

// The operand with `update`, of the same rank and no size larger, in the place of the part that
// begins at `start_indices`, as for DynamicSlice (dynamic-update-slice.*).
Op DynamicUpdateSlice(const Op& operand, const Op& update, Ops start_indices,
                      SourceLocation at = SourceLocation::current());

// The names are those of the attributes; semantics.md 7 says what they do.
struct GatherDimensionNumbers {
  std::vector<int64_t> offset_dims = {};
  std::vector<int64_t> collapsed_slice_dims = {};
  std::vector<int64_t> start_index_map = {};
  std::vector<int64_t> operand_batching_dims = {};
  std::vector<int64_t> start_indices_batching_dims = {};
  int64_t index_vector_dim = 0;
};
// Slices of `slice_sizes` from the places that the integer array `start_indices` lists: a vector
// along index_vector_dim for each (gather.*).
Op Gather(const Op& operand, const Op& start_indices, const GatherDimensionNumbers& numbers,
          Ints slice_sizes, bool indices_are_sorted = false,
          SourceLocation at = SourceLocation::current());

struct ScatterDimensionNumbers {
  std::vector<int64_t> update_window_dims = {};
  std::vector<int64_t> inserted_window_dims = {};
  std::vector<int64_t> scatter_dims_to_operand_dims = {};
  std::vector<int64_t> input_batching_dims = {};
  std::vector<int64_t> scatter_indices_batching_dims = {};
  int64_t index_vector_dim = 0;
};
// The inputs with the elements of the updates combined into the places that `scatter_indices`
// lists, by `update_computation`: (old..., update...) -> new.... As many updates as inputs, at
// least one; of one input the result is an array, of several a tuple (builder.scatter-counts,
// scatter.*).
Op Scatter(Ops inputs, const Op& scatter_indices, Ops updates, const Callee& update_computation,
           const ScatterDimensionNumbers& numbers, bool indices_are_sorted = false,
           bool unique_indices = false, SourceLocation at = SourceLocation::current());
Op Scatter(const Op& input, const Op& scatter_indices, const Op& updates,
           const Callee& update_computation, const ScatterDimensionNumbers& numbers,
           bool indices_are_sorted = false, bool unique_indices = false,
           SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_INDEXING_H_
