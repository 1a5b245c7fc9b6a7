// The terms of a convolution with few output features in each of its groups, as sums walk over them
// (window_sums.h), and the kernel they read.
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_TERMS_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_TERMS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interp/kernel/evaluation.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/convolution/depthwise_shape.h"
#include "interp/simd/convolution/window_sums.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/product_dimensions.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {

template <typename T>
DepthwiseShape DepthwiseShapeOf(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  const bool has_carriers =
      IsComplex(type) || (IsCarrier<T>(type) && IsCarrier<T>(op.operand_shape(0).element_type()));
  return DepthwiseShape(
      op, {static_cast<int64_t>(sizeof(T)), GetWindowSumKernels<T>().vector_width, has_carriers});
}

// Vectors read the kernel where it lies if lanes do so side by side; else it is packed, [term,
// feature, lane].
inline bool PacksKernel(const DepthwiseShape& shape, int64_t vector_width) {
  return shape.has_kernel_lanes() &&
         (shape.lanes().kernel_stride != 1 || shape.lanes().size < vector_width);
}

// One part may read a vector behind the last element.
inline int64_t PackedKernelCount(const DepthwiseShape& shape, int64_t vector_width) {
  const int64_t lines = Times(shape.term_count(), shape.features());
  return Times(lines, shape.lanes().size) + vector_width;
}

template <typename T>
class DepthwiseState final : public KernelState {
 public:
  explicit DepthwiseState(const OpView& op)
      : shape(DepthwiseShapeOf<T>(op)), width(GetWindowSumKernels<T>().vector_width) {
    if (shape.is_empty()) return;
    packs_kernel = PacksKernel(shape, width);
    FindTerms();
  }

  DepthwiseShape shape;
  int64_t width;
  bool packs_kernel = false;
  DepthwiseShape::TermDimensions terms;  // with the strides of the kernel that sums read
  int64_t feature_stride = 0;            // the same from feature to feature
  std::vector<TermRun> runs;
  int64_t run_length = 1, input_step = 0, kernel_step = 0;

 private:
  void FindTerms() {
    terms = shape.terms();
    feature_stride = shape.feature_kernel_stride();
    if (packs_kernel) {
      feature_stride = shape.lanes().size;
      int64_t stride = shape.features() * feature_stride;
      for (size_t i = terms.size(); i-- > 0;) {
        terms[i].kernel_stride = stride;
        stride *= terms[i].size;
      }
    }
    runs.reserve(static_cast<size_t>(shape.run_count()));
    size_t count = terms.size();
    if (const TermDimension* inner = shape.inner_term()) {
      count = static_cast<size_t>(inner - shape.terms().data());
      run_length = inner->size;
      input_step = shape.Offset(inner->axis, inner->step);
      kernel_step = terms[count].kernel_stride;
    }
    AddRuns(0, count, {0, 0});
  }
  // Of terms from dimension `i` on, up to dimension `count`.
  void AddRuns(size_t i, size_t count, TermRun begin) {
    if (i == count) return runs.push_back(begin);
    for (int64_t t = 0; t < terms[i].size; ++t) {
      AddRuns(i + 1, count,
              {begin.input_offset + shape.Offset(terms[i].axis, t * terms[i].step),
               begin.kernel_offset + t * terms[i].kernel_stride});
    }
  }
};

// The kernel as sums read it.
template <typename T>
absl::StatusOr<ScratchArray<T>> PackKernel(const DeviceContext& device,
                                           const DepthwiseState<T>& state, const T* kernel) {
  const DepthwiseShape& shape = state.shape;
  const int64_t lanes = shape.lanes().size, stride = shape.lanes().kernel_stride;
  const int64_t line_count = shape.term_count() * shape.features();
  ScratchArray<T> packed(device.scratch(), PackedKernelCount(shape, state.width));
  const int64_t per_part = CeilDiv(int64_t{1} << 15, lanes);
  HLO_RETURN_IF_ERROR(ForEachPart(device, CeilDiv(line_count, per_part), [&](int64_t part) {
    const int64_t end = std::min(line_count, (part + 1) * per_part);
    for (int64_t line = part * per_part; line < end; ++line) {
      const T* from = kernel + line % shape.features() * shape.feature_kernel_stride();
      int64_t term = line / shape.features();
      for (size_t i = shape.terms().size(); i-- > 0;) {
        const TermDimension& d = shape.terms()[i];
        from += term % d.size * d.kernel_stride;
        term /= d.size;
      }
      T* to = packed.get() + line * lanes;
      for (int64_t l = 0; l < lanes; ++l) to[l] = from[l * stride];
    }
  }));
  return packed;
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_TERMS_H_
