// dynamic-slice and dynamic-update-slice (semantics.md 7.5): a box of fixed sizes at a start that
// is clamped so that all of it lies inside.
#include "interp/simd/movement/dynamic_slice.h"

#include <algorithm>

#include "interp/kernel/prepared.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/strided.h"
#include "interp/simd/movement/box_copy.h"

namespace hlo::simd {
namespace {

using reference::DenseStrides;
using reference::IntegerAt;
using reference::Strides;

class DynamicBox {
 public:
  explicit DynamicBox(const OpView& op) {
    const bool is_update = op.opcode() == Opcode::kDynamicUpdateSlice;
    const Shape& array = op.operand_shape(0);
    const Shape& box = is_update ? op.operand_shape(1) : *op.written_shape();
    first_index_ = is_update ? 2 : 1;
    element_size_ = ElementByteSize(array.element_type());
    is_vector_ = op.operand_count() > first_index_ && op.operand_shape(first_index_).rank() == 1;
    whole_ = CopyOfWhole(array);
    if (CountElements(box.dims()) == 0) return;
    strides_ = DenseStrides(array.dims());
    for (int64_t d = 0; d < array.rank(); ++d) last_.push_back(array.dim(d) - box.dim(d));
    const Strides box_strides = DenseStrides(box.dims());
    box_ = is_update ? BoxCopy(element_size_, box.dims(), box_strides, strides_)
                     : BoxCopy(element_size_, box.dims(), strides_, box_strides);
  }

  absl::Status Slice(Evaluation& e) const {
    if (box_.byte_size() == 0) return absl::OkStatus();
    return box_.Run(e.device(), e.operand(0).bytes + Start(e), e.result().bytes);
  }

  absl::Status Update(Evaluation& e) const {
    // The result may have been given the operand's memory.
    if (e.result().bytes != e.operand(0).bytes && whole_.byte_size() > 0) {
      const absl::Status status = whole_.Run(e.device(), e.operand(0).bytes, e.result().bytes);
      if (!status.ok()) return status;
    }
    if (box_.byte_size() == 0) return absl::OkStatus();
    return box_.Run(e.device(), e.operand(1).bytes, e.result().bytes + Start(e));
  }

 private:
  static BoxCopy CopyOfWhole(const Shape& array) {
    if (CountElements(array.dims()) == 0) return BoxCopy();
    const Strides strides = DenseStrides(array.dims());
    return BoxCopy(ElementByteSize(array.element_type()), array.dims(), strides, strides);
  }

  // Where the box begins in the array, in bytes.
  int64_t Start(const Evaluation& e) const {
    int64_t start = 0;
    for (size_t d = 0; d < last_.size(); ++d) {
      const size_t first = static_cast<size_t>(first_index_);
      const int64_t index = is_vector_ ? IntegerAt(e.operand(first), static_cast<int64_t>(d))
                                       : IntegerAt(e.operand(first + d), 0);
      start += std::clamp<int64_t>(index, 0, last_[d]) * strides_[d];
    }
    return start * element_size_;
  }

  int64_t first_index_;  // among operands
  int64_t element_size_;
  bool is_vector_;  // all starts in one operand
  Strides strides_, last_;
  BoxCopy box_, whole_;
};

absl::Status RunSlice(Evaluation& e) { return PreparedOf<DynamicBox>(e).Slice(e); }
absl::Status RunUpdate(Evaluation& e) { return PreparedOf<DynamicBox>(e).Update(e); }

}  // namespace

const Kernel* FindDynamicSliceKernel(const OpView& op) {
  static constexpr Kernel kSlice = {.run = RunSlice, .prepare = Prepare<DynamicBox>};
  static constexpr Kernel kUpdate = {
      .run = RunUpdate, .prepare = Prepare<DynamicBox>, .overwrite = Overwrite::kSameNumber};
  const Shape& result = *op.written_shape();
  const bool is_update = op.opcode() == Opcode::kDynamicUpdateSlice;
  for (int64_t i = 0; i < (is_update ? 2 : 1); ++i) {
    if (op.operand_shape(i).HasDynamicDim() ||
        op.operand_shape(i).element_type() != result.element_type()) {
      return nullptr;
    }
  }
  const Shape& array = op.operand_shape(0);
  const Shape& box = is_update ? op.operand_shape(1) : result;
  if (result.HasDynamicDim() || box.rank() != array.rank()) return nullptr;
  for (int64_t d = 0; d < box.rank(); ++d) {
    if (box.dim(d) > array.dim(d)) return nullptr;
  }
  return is_update ? &kUpdate : &kSlice;
}

}  // namespace hlo::simd
