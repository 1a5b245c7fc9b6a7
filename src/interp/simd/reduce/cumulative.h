// Windows of cumulative sums, products and the like.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_H_
#define HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_H_

#include <cstdint>
#include <optional>
#include <span>

#include "ir/window_dimension.h"

namespace hlo::simd {

// The dimension along which `window` is on an element and all before it, if there is such a window
// over an array of `dims`, and in no other dimension one: there each result is the one before it
// and one element more.
std::optional<int64_t> CumulativeDimension(const Window& window, std::span<const int64_t> dims);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_H_
