// A convolution whose window lies the other way around in some dimensions.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_KERNEL_FLIP_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_KERNEL_FLIP_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interp/reference/strided_copy.h"
#include "interp/simd/onednn/convolution_form.h"

namespace hlo::simd::onednn {

// Turns the window around in some dimensions.
class KernelFlip {
 public:
  KernelFlip(const OpView& op, const ConvolutionSpec& spec) {
    const Shape& kernel = op.operand_shape(1);
    const int64_t element_size = spec.kernel.data_type == dnnl_bf16 ? 2 : 4;
    const reference::Strides strides = reference::DenseStrides(kernel.dims());
    reference::Strides backwards = strides;
    for (size_t d = 0; d < spec.flips.size(); ++d) {
      const int64_t dim = op.Get<Attr::kDimLabels>().kernel_spatial[d];
      int64_t& stride = backwards[static_cast<size_t>(dim)];
      if (!spec.flips[d]) continue;
      first_ += (kernel.dim(dim) - 1) * stride * element_size;
      stride = -stride;
    }
    copy_.emplace(element_size, kernel.dims(), backwards, strides);
  }

  void operator()(const std::byte* kernel, std::byte* flipped) const {
    (*copy_)(kernel + first_, flipped);
  }

 private:
  int64_t first_ = 0;  // bytes to the element that comes first
  std::optional<reference::StridedCopy> copy_;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_KERNEL_FLIP_H_
