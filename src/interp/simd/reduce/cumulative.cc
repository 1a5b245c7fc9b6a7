// Which windows of reduce-window are cumulative.
#include "interp/simd/reduce/cumulative.h"

#include <cstddef>

#include "interp/simd/reduce/window_pass.h"

namespace hlo::simd {
namespace {

bool IsOnAllBefore(const WindowDimension& window, int64_t count) {
  return window.size >= count && window.padding_low == window.size - 1 &&
         window.padding_high == 0 && window.stride == 1 && window.base_dilation == 1 &&
         window.window_dilation == 1;
}

}  // namespace

std::optional<int64_t> CumulativeDimension(const Window& window, std::span<const int64_t> dims) {
  std::optional<int64_t> cumulative;
  for (size_t d = 0; d < dims.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    if (IsTrivialWindow(dimension)) continue;
    if (cumulative || !IsOnAllBefore(dimension, dims[d])) return std::nullopt;
    cumulative = static_cast<int64_t>(d);
  }
  return cumulative;
}

}  // namespace hlo::simd
