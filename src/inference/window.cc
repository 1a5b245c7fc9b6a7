// The formulas of verifier.md 3.7. Sizes and padding come from the text, so each step that can
// overflow is checked; an unbounded size stays unbounded. PlaceCount divides by strides that
// CheckWindow has found to be positive.
#include "inference/window.h"

#include "ir/shape.h"
#include "support/checked_math.h"

namespace hlo {

std::optional<int64_t> DilatedSize(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  const std::optional<int64_t> span = CheckedMul(size - 1, dilation);
  return span ? CheckedAdd(*span, 1) : std::nullopt;
}

int64_t PlaceCount(int64_t size, int64_t window_size, int64_t stride) {
  return size == 0 || window_size > size ? 0 : (size - window_size) / stride + 1;
}

std::optional<int64_t> PaddedBaseSize(int64_t size, const WindowDimension& window) {
  std::optional<int64_t> padded = DilatedSize(size, window.base_dilation);
  if (padded) padded = CheckedAdd(*padded, window.padding_low);
  if (padded) padded = CheckedAdd(*padded, window.padding_high);
  return padded;
}

bool CheckWindow(const OpView& op, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kWindow);
  const List<WindowDimension> dimensions = op.Get<Attr::kWindow>().dimensions;
  const auto check_positive = [&](int64_t value, Rule rule, std::string_view what,
                                  size_t d) -> bool {
    if (value >= 1) return true;
    return sink.Error(rule, range, "the {} {} of window dimension {} is less than 1", what, value,
                      d);
  };
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const WindowDimension& window = dimensions[d];
    if (!check_positive(window.size, Rule::kWindowSizePositive, "size", d) ||
        !check_positive(window.stride, Rule::kWindowStridePositive, "stride", d) ||
        !check_positive(window.base_dilation, Rule::kWindowBaseDilation, "base dilation", d) ||
        !check_positive(window.window_dilation, Rule::kWindowWindowDilation, "window dilation",
                        d)) {
      return false;
    }
  }
  return true;
}

std::optional<int64_t> WindowedSize(const OpView& op, int64_t d, int64_t size, Rule overflow_rule,
                                    DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kWindow);
  const WindowDimension& window = op.Get<Attr::kWindow>().dimensions[d];
  const std::optional<int64_t> window_size = DilatedSize(window.size, window.window_dilation);
  if (size == Shape::kUnbounded && window_size) return size;
  const std::optional<int64_t> padded = PaddedBaseSize(size, window);
  if (!padded || !window_size) {
    return sink.Error(overflow_rule, range, "the sizes of window dimension {} exceed 2^63 - 1", d);
  }
  if (*padded < 0) {
    return sink.Error(Rule::kWindowPaddedNonnegative, range,
                      "padding window dimension {} by {} and {} leaves {} elements", d,
                      window.padding_low, window.padding_high, *padded);
  }
  return PlaceCount(*padded, *window_size, window.stride);
}

}  // namespace hlo
