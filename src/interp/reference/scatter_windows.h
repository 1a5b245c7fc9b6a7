// Where the windows of a scatter lie (semantics.md 7.7): each lies inside the operand, or is
// dropped whole.
#ifndef HLOKIT_INTERP_REFERENCE_SCATTER_WINDOWS_H_
#define HLOKIT_INTERP_REFERENCE_SCATTER_WINDOWS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/index_vectors.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {

// The dimensions of an array with `shape`'s layout, slowest first.
inline Index PhysicalDimensions(const Shape& shape, int64_t rank) {
  Index order;
  if (shape.layout().has_value() &&
      static_cast<int64_t>(shape.layout()->minor_to_major.size()) == rank) {
    const DimensionVector& minor_to_major = shape.layout()->minor_to_major;
    order.assign(minor_to_major.rbegin(), minor_to_major.rend());
    return order;
  }
  return OtherDimensions(rank, {});
}

// Where the windows are: sizes and strides in visiting order.
class ScatterWindows {
 public:
  explicit ScatterWindows(const Evaluation& e)
      : count_(e.results().size()),
        operand_dims_(e.operand(0).dims.begin(), e.operand(0).dims.end()),
        vectors_(e.operand(count_).dims, static_cast<int64_t>(operand_dims_.size()),
                 GatherDimensions::Of(e.op())) {
    const GatherDimensions dimensions = GatherDimensions::Of(e.op());
    const std::span<const int64_t> update_dims = e.operand(count_ + 1).dims;
    const std::span<const int64_t> window_dims = dimensions.window_dims;
    const int64_t rank = static_cast<int64_t>(operand_dims_.size());
    const int64_t update_rank = static_cast<int64_t>(update_dims.size());
    operand_strides_ = DenseStrides(AsSpan(operand_dims_));
    extents_.assign(operand_dims_.size(), 1);
    const Index windowed = dimensions.WindowedDims(rank);
    for (size_t k = 0; k < windowed.size(); ++k)
      extents_[windowed[k]] = update_dims[window_dims[k]];

    const Index scatter_dims = dimensions.BatchDims(update_rank);
    const Index update_strides = DenseStrides(update_dims);
    for (int64_t d : PhysicalDimensions(e.op().operand_shape(count_ + 1), update_rank)) {
      const auto window = std::find(window_dims.begin(), window_dims.end(), d);
      if (window == window_dims.end()) {
        batch_order_.push_back(std::find(scatter_dims.begin(), scatter_dims.end(), d) -
                               scatter_dims.begin());
        batch_sizes_.push_back(update_dims[d]);
        batch_strides_.push_back(update_strides[d]);
      } else {
        window_sizes_.push_back(update_dims[d]);
        update_strides_.push_back(update_strides[d]);
        const int64_t operand_dim = windowed[window - window_dims.begin()];
        windowed_dims_.push_back(operand_dim);
        target_strides_.push_back(operand_strides_[operand_dim]);
      }
    }
  }

  // The index vectors of the evaluation, for ForEach.
  ConvertedArray Indices(Evaluation& e) const {
    return ConvertedArray(e.device().scratch(), e.operand(count_), ElementType::kS64);
  }

  std::span<const int64_t> operand_dims() const { return AsSpan(operand_dims_); }
  std::span<const int64_t> operand_strides() const { return AsSpan(operand_strides_); }
  // By dimension of the windows: where it lies in the operand, its size, and its strides.
  std::span<const int64_t> windowed_dims() const { return AsSpan(windowed_dims_); }
  std::span<const int64_t> window_sizes() const { return AsSpan(window_sizes_); }
  std::span<const int64_t> update_strides() const { return AsSpan(update_strides_); }
  std::span<const int64_t> target_strides() const { return AsSpan(target_strides_); }

  // visit(target, update) with the positions of each window's first elements, for the windows
  // that lie inside; `indices` holds the index vectors.
  template <typename Visit>
  absl::Status ForEach(const ConvertedArray& indices, Visit&& visit) {
    const int64_t* numbers = indices.data<int64_t>();
    Index batch(batch_sizes_.size());
    for (const Index& index : IndexSpace(AsSpan(batch_sizes_))) {
      int64_t update = 0;
      for (size_t d = 0; d < index.size(); ++d) {
        batch[batch_order_[d]] = index[d];
        update += index[d] * batch_strides_[d];
      }
      const Index& start = vectors_.StartAt(numbers, batch);
      if (!IsInside(start)) continue;
      int64_t target = 0;
      for (size_t d = 0; d < start.size(); ++d) target += start[d] * operand_strides_[d];
      HLO_RETURN_IF_ERROR(visit(target, update));
    }
    return absl::OkStatus();
  }

  // visit(target, update) for every element of the window at (target, update).
  template <typename Visit>
  void ForEachElement(int64_t target, int64_t update, Visit&& visit) const {
    ForEachOffsets<2>(window_sizes(), {target_strides(), update_strides()},
                      [&](const std::array<int64_t, 2>& offsets) {
                        visit(target + offsets[0], update + offsets[1]);
                      });
  }

 private:
  bool IsInside(const Index& start) const {
    for (size_t d = 0; d < start.size(); ++d) {
      if (start[d] < 0 || start[d] > operand_dims_[d] - extents_[d]) return false;
    }
    return true;
  }

  size_t count_;  // of arrays that are scattered into
  Index operand_dims_;
  IndexVectors vectors_;
  Index operand_strides_;
  Index extents_;  // of the window in each dimension of the operand
  Index batch_order_, batch_sizes_, batch_strides_;
  Index windowed_dims_, window_sizes_, update_strides_, target_strides_;
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SCATTER_WINDOWS_H_
