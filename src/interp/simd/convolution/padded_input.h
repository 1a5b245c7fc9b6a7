// The input of a convolution with its padding and holes written out as zeros, so that windows may
// read all of its positions without looking.
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_PADDED_INPUT_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_PADDED_INPUT_H_

#include <cstdint>
#include <span>
#include <utility>

#include "absl/status/statusor.h"
#include "interp/kernel/device.h"
#include "interp/kernel/scratch_pool.h"

namespace hlo::simd {

// A dimension of the input as windows see it: `size` positions from `low` before the first element,
// which are `dilation` apart; what is no element is 0.
struct PaddedDimension {
  int64_t input_size;
  int64_t size;
  int64_t low;
  int64_t dilation;

  // Whether every position is an element.
  bool IsInside() const { return dilation == 1 && low <= 0 && size - low <= input_size; }
};

// The elements of one dimension that lie at padded positions: [first, last).
std::pair<int64_t, int64_t> PresentElements(const PaddedDimension& dimension);

// The elements of a padded input, at most 2^50.
int64_t PaddedCount(std::span<const PaddedDimension> padded);

// The padded input: zeros, and the elements where they belong. T: the carriers of products,
// integers of their own size, complex numbers.
template <typename T>
absl::StatusOr<ScratchArray<T>> PadInput(const DeviceContext& device,
                                         std::span<const PaddedDimension> padded, const T* input);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_PADDED_INPUT_H_
