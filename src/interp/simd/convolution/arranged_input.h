// The input of a convolution, or the part of it that some results need, in another order of its
// dimensions, with padding and holes written out as zeros.
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_ARRANGED_INPUT_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_ARRANGED_INPUT_H_

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "interp/simd/convolution/padded_input.h"
#include "interp/simd/product/carrier_array.h"

namespace hlo::simd {

// A dimension of the input as windows see it: positions from `low` before the first element, which
// are `dilation` apart; what is no element is 0.
struct InputAxis {
  int64_t input_size;
  int64_t source_stride;  // from element to element
  int64_t low = 0;
  int64_t dilation = 1;
  int64_t size = 0;  // positions that windows see
  // Positions of the last axis lie in the order of (position % step, position / step), so that
  // those that are `step` apart lie side by side.
  int64_t step = 1;

  // Whether every position is an element.
  bool IsInside() const { return PaddedDimension{input_size, size, low, dilation}.IsInside(); }
  // Where `position` lies among `extent` places.
  int64_t Place(int64_t position, int64_t extent) const {
    return position % step * (extent / step) + position / step;
  }
};

using InputAxes = absl::InlinedVector<InputAxis, 8>;

// Elements of an array, whose carriers may be there already.
template <typename T>
struct CarrierSource {
  CarrierConversion conversion;
  const std::byte* bytes = nullptr;
  const T* carriers = nullptr;

  void Read(int64_t offset, int64_t count, T* to) const {
    if (carriers != nullptr) {
      std::copy_n(carriers + offset, count, to);
    } else {
      conversion.Convert(bytes + offset * conversion.element_size(),
                         reinterpret_cast<std::byte*>(to), count);
    }
  }
};

// Positions [begin, begin + size) of an axis, in an array that has room for `extent`; `stride` is
// the distance between two of them in that array.
struct ArrangedAxis {
  InputAxis axis;
  int64_t begin = 0;
  int64_t size = 0;
  int64_t extent = 0;
  int64_t stride = 1;
};

using ArrangedAxes = absl::InlinedVector<ArrangedAxis, 8>;

// Writes what `axes`, outermost first, have at their positions to `to`. Where elements along the
// last one lie apart the source must have carriers.
template <typename T>
void Arrange(ArrangedAxes axes, const CarrierSource<T>& source, T* to);

extern template void Arrange(ArrangedAxes, const CarrierSource<float>&, float*);
extern template void Arrange(ArrangedAxes, const CarrierSource<double>&, double*);
extern template void Arrange(ArrangedAxes, const CarrierSource<uint32_t>&, uint32_t*);
extern template void Arrange(ArrangedAxes, const CarrierSource<uint64_t>&, uint64_t*);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_ARRANGED_INPUT_H_
