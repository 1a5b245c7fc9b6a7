// HLO takes a scalar for each start index, so a vector of them is sliced and reshaped, two
// instructions for each element (builder.md 2). Its length is compared with the rank before that:
// inference would refuse it as well, but only when they have all been made.
#include "builder/indexing.h"

#include "builder/operation.h"

namespace hlo::ops {
namespace {

// A vector of indices as scalars, which is what HLO wants.
std::vector<Op> ScalarIndices(Operation& operation, Ops indices) {
  const bool is_vector = operation.ok() && indices.size() == 1 && indices[0].shape().IsArray() &&
                         indices[0].shape().rank() == 1;
  if (!is_vector) return indices.ToVector();
  std::vector<Op> scalars;
  for (int64_t i = 0; operation.ok() && i < indices[0].shape().dim(0); ++i) {
    const SliceRange range = {i, i + 1, 1};
    const Op element = operation.AddInner(Opcode::kSlice, indices)
                           .Set<Attr::kSliceRanges>(SliceRanges(&range, 1))
                           .InferFrom(indices[0].shape());
    scalars.push_back(operation.InnerReshape(element, {}));
  }
  return scalars;
}

// Elements of a vector that are no indices of the operand would only cost time.
bool CheckIndexCount(Operation& operation, const Op& operand, Ops indices, Rule rule) {
  if (!operation.ok() || indices.size() != 1 || indices[0].shape().rank() != 1)
    return operation.ok();
  if (!indices[0].shape().IsArray() || indices[0].shape().dim(0) == operand.shape().rank()) {
    return true;
  }
  operation.Fail(rule, "`{}` has no index for each of the {} dimensions of `{}`",
                 ShapeText(indices[0].shape()), operand.shape().rank(), ShapeText(operand.shape()));
  return false;
}

}  // namespace

Op DynamicSlice(const Op& operand, Ops start_indices, Ints sizes, SourceLocation at) {
  Operation operation("DynamicSlice", at, Joined({operand}, start_indices));
  if (!CheckIndexCount(operation, operand, start_indices, Rule::kDynamicSliceIndexCount)) {
    return operation.Invalid();
  }
  const std::vector<Op> indices = ScalarIndices(operation, start_indices);
  return operation.Add(Opcode::kDynamicSlice, Joined({operand}, indices))
      .Set<Attr::kDynamicSliceSizes>(ToList(sizes))
      .InferFrom(operand.shape());
}

Op DynamicUpdateSlice(const Op& operand, const Op& update, Ops start_indices, SourceLocation at) {
  Operation operation("DynamicUpdateSlice", at, Joined({operand, update}, start_indices));
  if (!CheckIndexCount(operation, operand, start_indices, Rule::kDynamicUpdateSliceIndexCount)) {
    return operation.Invalid();
  }
  const std::vector<Op> indices = ScalarIndices(operation, start_indices);
  return operation.Add(Opcode::kDynamicUpdateSlice, Joined({operand, update}, indices))
      .InferFrom(operand.shape());
}

Op Gather(const Op& operand, const Op& start_indices, const GatherDimensionNumbers& numbers,
          Ints slice_sizes, bool indices_are_sorted, SourceLocation at) {
  Operation operation("Gather", at, {operand, start_indices});
  const bool has_batching =
      !numbers.operand_batching_dims.empty() || !numbers.start_indices_batching_dims.empty();
  return operation.Add(Opcode::kGather, {operand, start_indices})
      .Set<Attr::kOffsetDims>(numbers.offset_dims)
      .Set<Attr::kCollapsedSliceDims>(numbers.collapsed_slice_dims)
      .Set<Attr::kStartIndexMap>(numbers.start_index_map)
      .SetIf<Attr::kOperandBatchingDims>(has_batching, numbers.operand_batching_dims)
      .SetIf<Attr::kStartIndicesBatchingDims>(has_batching, numbers.start_indices_batching_dims)
      .Set<Attr::kIndexVectorDim>(numbers.index_vector_dim)
      .Set<Attr::kSliceSizes>(ToList(slice_sizes))
      .SetIf<Attr::kIndicesAreSorted>(indices_are_sorted, true)
      .Infer();
}

Op Scatter(Ops inputs, const Op& scatter_indices, Ops updates, const Callee& update_computation,
           const ScatterDimensionNumbers& numbers, bool indices_are_sorted, bool unique_indices,
           SourceLocation at) {
  const std::vector<Op> operands = Joined(Joined(inputs, {scatter_indices}), updates);
  Operation operation("Scatter", at, operands);
  if (inputs.size() != updates.size() || inputs.empty()) {
    return operation.Fail(Rule::kBuilderScatterCounts, "{} inputs and {} updates", inputs.size(),
                          updates.size());
  }
  if (!operation.Check(update_computation)) return operation.Invalid();
  const bool has_batching =
      !numbers.input_batching_dims.empty() || !numbers.scatter_indices_batching_dims.empty();
  return operation.Add(Opcode::kScatter, operands)
      .Set<Attr::kUpdateWindowDims>(numbers.update_window_dims)
      .Set<Attr::kInsertedWindowDims>(numbers.inserted_window_dims)
      .Set<Attr::kScatterDimsToOperandDims>(numbers.scatter_dims_to_operand_dims)
      .SetIf<Attr::kInputBatchingDims>(has_batching, numbers.input_batching_dims)
      .SetIf<Attr::kScatterIndicesBatchingDims>(has_batching, numbers.scatter_indices_batching_dims)
      .Set<Attr::kIndexVectorDim>(numbers.index_vector_dim)
      .SetIf<Attr::kIndicesAreSorted>(indices_are_sorted, true)
      .SetIf<Attr::kUniqueIndices>(unique_indices, true)
      .SetCallee<Attr::kToApply>(update_computation)
      .Infer();
}

Op Scatter(const Op& input, const Op& scatter_indices, const Op& updates,
           const Callee& update_computation, const ScatterDimensionNumbers& numbers,
           bool indices_are_sorted, bool unique_indices, SourceLocation at) {
  return Scatter(Ops{input}, scatter_indices, Ops{updates}, update_computation, numbers,
                 indices_are_sorted, unique_indices, at);
}

}  // namespace hlo::ops
