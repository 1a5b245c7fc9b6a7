// Padding by SAME makes ceil(size / stride) places, half of what these lack before and the rest
// behind (builder.md 2). Lists are checked for their lengths, and where padding goes by name sizes
// and strides for being positive; all else is inference's. Where size and stride are 1 nobody asks
// for the dimension's size, which may be dynamic.
#include "builder/window_dimensions.h"

#include <algorithm>

#include "builder/operation.h"
#include "support/checked_math.h"

namespace hlo {

using ops::Ints;
using ops::PaddingPair;

namespace {

template <typename T>
bool CheckLength(Operation& operation, ops::ListArg<T> list, size_t size, std::string_view what) {
  if (list.empty() || list.size() == size) return true;
  operation.Fail(Rule::kBuilderWindowLists, "{} {} for a window of {} dimension{}", list.size(),
                 what, size, size == 1 ? "" : "s");
  return false;
}

}  // namespace

std::optional<std::vector<WindowDimension>> MakeWindow(Operation& operation,
                                                       const ops::WindowLists& lists) {
  const size_t rank = lists.sizes.size();
  if (!operation.ok() || !CheckLength(operation, lists.strides, rank, "strides") ||
      !CheckLength(operation, lists.padding, rank, "padding pairs") ||
      !CheckLength(operation, lists.base_dilations, rank, "base dilations") ||
      !CheckLength(operation, lists.window_dilations, rank, "window dilations") ||
      !CheckLength(operation, lists.reversal, rank, "reversals")) {
    return std::nullopt;
  }
  std::vector<WindowDimension> window(rank);
  for (size_t d = 0; d < rank; ++d) {
    window[d].size = lists.sizes[d];
    if (!lists.strides.empty()) window[d].stride = lists.strides[d];
    if (!lists.padding.empty()) window[d].padding_low = lists.padding[d].low;
    if (!lists.padding.empty()) window[d].padding_high = lists.padding[d].high;
    if (!lists.base_dilations.empty()) window[d].base_dilation = lists.base_dilations[d];
    if (!lists.window_dilations.empty()) window[d].window_dilation = lists.window_dilations[d];
    if (!lists.reversal.empty()) window[d].reversal = lists.reversal[d];
  }
  return window;
}

namespace {

// What `size` elements lack for ceil(size / stride) places; 0 where it does not fit 64 bits, which
// inference finds out.
int64_t MissingForSame(int64_t size, int64_t window, int64_t stride) {
  const int64_t place_count = CeilDiv(size, stride);
  const auto covered = CheckedMul(place_count - 1, stride);
  const auto needed = covered ? CheckedAdd(*covered, window) : std::nullopt;
  return needed ? std::max<int64_t>(*needed - size, 0) : 0;
}

bool CheckSamePadding(Operation& operation, const Shape& base, Ints sizes, Ints strides) {
  constexpr Rule kRule = Rule::kBuilderSamePaddingLists;
  if (base.rank() != sizes.ssize() || sizes.size() != strides.size()) {
    operation.Fail(kRule, "{} window sizes and {} strides for {} dimensions", sizes.size(),
                   strides.size(), base.rank());
    return false;
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > 0 && strides[d] > 0) continue;
    operation.Fail(kRule, "the window has size {} and stride {} along dimension {}", sizes[d],
                   strides[d], d);
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<PaddingPair>> MakePadding(Operation& operation, const Shape& base,
                                                    Ints sizes, Ints strides,
                                                    ops::Padding padding) {
  if (!operation.ok() || !CheckSamePadding(operation, base, sizes, strides)) return std::nullopt;
  std::vector<PaddingPair> pairs(sizes.size());
  if (padding == ops::Padding::kValid) return pairs;
  for (int64_t d = 0; d < base.rank(); ++d) {
    const bool is_trivial = sizes[d] == 1 && strides[d] == 1;
    if (is_trivial) continue;
    if (base.is_dynamic(d) || base.is_unbounded(d)) {
      operation.Fail(Rule::kBuilderSamePaddingDynamic,
                     "padding by SAME along dimension {} of `{}`, whose size is not known", d,
                     ShapeText(base));
      return std::nullopt;
    }
    const int64_t total = MissingForSame(base.dim(d), sizes[d], strides[d]);
    pairs[d] = {total / 2, total - total / 2};
  }
  return pairs;
}

}  // namespace hlo
