// gather, dynamic-slice and dynamic-update-slice (semantics.md 7.5, 7.6): boxes of elements whose
// start is clamped so that the whole box lies inside.
#include <algorithm>
#include <cstring>
#include <optional>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/index_vectors.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "interp/reference/strided_copy.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// The last argument of clamp3 may be below the first only for boxes larger than the array, which
// callers have cut already.
int64_t ClampStart(int64_t start, int64_t size, int64_t box) {
  return std::max<int64_t>(0, std::min(start, size - box));
}

// The linear position of a box of sizes `box` in an array of sizes `dims`. The start indices are
// operands `first` and following: one scalar per dimension, or all in one vector.
int64_t DynamicStart(const Evaluation& e, size_t first, std::span<const int64_t> dims,
                     std::span<const int64_t> box) {
  if (CountElements(dims) == 0) return 0;
  const bool is_vector = e.operands().size() > first && e.operand(first).dims.size() == 1;
  Index start(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t index = is_vector ? IntegerAt(e.operand(first), static_cast<int64_t>(d))
                                    : IntegerAt(e.operand(first + d), 0);
    start[d] = ClampStart(index, dims[d], box[d]);
  }
  return LinearIndex(dims, AsSpan(start));
}

// Boxes never exceed the run-time sizes of a dynamic array.
Index CutTo(std::span<const int64_t> dims, std::span<const int64_t> box) {
  Index cut(box.begin(), box.end());
  for (size_t d = 0; d < cut.size(); ++d) cut[d] = std::min(cut[d], dims[d]);
  return cut;
}

struct GatherPlan {
  explicit GatherPlan(const Evaluation& e)
      : GatherPlan(e.operand(0), e.operand(1).dims, e.result().dims.size(),
                   e.Get<Attr::kSliceSizes>(), GatherDimensions::Of(e.op())) {}
  GatherPlan(const ArrayRef& operand, std::span<const int64_t> index_dims, size_t result_rank,
             std::span<const int64_t> slice_sizes, const GatherDimensions& dimensions)
      : vectors(index_dims, static_cast<int64_t>(operand.dims.size()), dimensions),
        box(CutTo(operand.dims, slice_sizes)),
        operand_strides(DenseStrides(operand.dims)),
        result_dims(result_rank) {
    // The result's dimensions: those of the window at its places, the batch between them.
    const Index window_dims = dimensions.WindowedDims(static_cast<int64_t>(operand.dims.size()));
    const Index window_sizes = Select(AsSpan(box), AsSpan(window_dims));
    const Index batch_dims = dimensions.BatchDims(static_cast<int64_t>(result_rank));
    for (size_t i = 0; i < window_sizes.size(); ++i) {
      result_dims[dimensions.window_dims[i]] = window_sizes[i];
    }
    for (size_t i = 0; i < batch_dims.size(); ++i) {
      result_dims[batch_dims[i]] = vectors.batch_dims()[i];
    }
    const Index result_strides = DenseStrides(AsSpan(result_dims));
    batch_strides = Select(AsSpan(result_strides), AsSpan(batch_dims));
    copy.emplace(ElementByteSize(operand.element_type), AsSpan(window_sizes),
                 AsSpan(Select(AsSpan(operand_strides), AsSpan(window_dims))),
                 AsSpan(Select(AsSpan(result_strides), dimensions.window_dims)));
  }

  IndexVectors vectors;
  Index box;  // a window in the operand's dimensions
  Index operand_strides, result_dims;
  Index batch_strides;              // in the result
  std::optional<StridedCopy> copy;  // of one window
};

}  // namespace

absl::Status EvalDynamicSlice(Evaluation& e) {
  const ArrayRef& operand = e.operand(0);
  const Index box = CutTo(operand.dims, e.Get<Attr::kDynamicSliceSizes>());
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(box)));
  const int64_t size = ElementByteSize(operand.element_type);
  const StridedCopy copy(size, AsSpan(box), AsSpan(DenseStrides(operand.dims)),
                         AsSpan(DenseStrides(AsSpan(box))));
  copy(operand.bytes + DynamicStart(e, 1, operand.dims, AsSpan(box)) * size, e.result().bytes);
  return absl::OkStatus();
}

absl::Status EvalDynamicUpdateSlice(Evaluation& e) {
  const ArrayRef& operand = e.operand(0);
  const ArrayRef& update = e.operand(1);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, operand.dims));
  if (e.result().bytes != operand.bytes) {
    std::memcpy(e.result().bytes, operand.bytes, static_cast<size_t>(operand.byte_size()));
  }
  const Index box = CutTo(operand.dims, update.dims);
  const int64_t size = ElementByteSize(operand.element_type);
  const StridedCopy copy(size, AsSpan(box), AsSpan(DenseStrides(update.dims)),
                         AsSpan(DenseStrides(operand.dims)));
  copy(update.bytes, e.result().bytes + DynamicStart(e, 2, operand.dims, AsSpan(box)) * size);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareGather(Evaluation& e) {
  return Prepare<GatherPlan>(e);
}

// The indices as s64.
double GatherScratch(const OpView& op) {
  return ConvertedByteSize(op.operand_shape(1), ElementType::kS64);
}

absl::Status EvalGather(Evaluation& e) {
  GatherPlan& plan = PreparedOf<GatherPlan>(e);
  const ArrayRef& operand = e.operand(0);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(plan.result_dims)));
  if (operand.element_count() == 0) {
    std::memset(e.result().bytes, 0, static_cast<size_t>(e.result().byte_size()));
    return absl::OkStatus();
  }
  const int64_t size = ElementByteSize(operand.element_type);
  const ConvertedArray indices(e.device().scratch(), e.operand(1), ElementType::kS64);
  for (const Index& batch : IndexSpace(plan.vectors.batch_dims())) {
    const Index& start = plan.vectors.StartAt(indices.data<int64_t>(), batch);
    int64_t from = 0;
    for (size_t d = 0; d < start.size(); ++d) {
      from += ClampStart(start[d], operand.dims[d], plan.box[d]) * plan.operand_strides[d];
    }
    int64_t to = 0;
    for (size_t d = 0; d < batch.size(); ++d) to += batch[d] * plan.batch_strides[d];
    (*plan.copy)(operand.bytes + from * size, e.result().bytes + to * size);
  }
  return absl::OkStatus();
}

}  // namespace hlo::reference
