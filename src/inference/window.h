// Sizes under windows, as convolution, reduce-window and select-and-scatter share them
// (verifier.md 3.7).
#ifndef HLOKIT_INFERENCE_WINDOW_H_
#define HLOKIT_INFERENCE_WINDOW_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/attribute_values.h"
#include "ir/op_view.h"
#include "support/diagnostic.h"

namespace hlo {

// delta(size, dilation): 0, or (size - 1) * dilation + 1; nothing when that overflows. `dilation`
// is at least 1.
std::optional<int64_t> DilatedSize(int64_t size, int64_t dilation);

// sigma: how many places a window of `window_size` has in `size` elements, `stride` apart.
int64_t PlaceCount(int64_t size, int64_t window_size, int64_t stride);

// The number of elements once `size` is dilated and padded: low + delta + high.
std::optional<int64_t> PaddedBaseSize(int64_t size, const WindowDimension& window);

// The sizes, strides and dilations of the window of `op` are positive; reported as window.*.
bool CheckWindow(const OpView& op, DiagnosticSink& sink);

// How many places the window has along dimension `d`, whose size may be unbounded. The window has
// passed CheckWindow. Reports a negative padded size as window.padded-nonnegative and an overflow
// under `overflow_rule`.
std::optional<int64_t> WindowedSize(const OpView& op, int64_t d, int64_t size, Rule overflow_rule,
                                    DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_WINDOW_H_
