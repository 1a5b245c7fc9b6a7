// Windows from the lists that the documents give: convolution, ReduceWindow, SelectAndScatter.
#ifndef HLOKIT_BUILDER_WINDOW_DIMENSIONS_H_
#define HLOKIT_BUILDER_WINDOW_DIMENSIONS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "builder/op.h"
#include "ir/attribute_values.h"

namespace hlo {

class Operation;

namespace ops {

// How much is added around an input.
enum class Padding {
  kSame,   // as much as makes ceil(size / stride) places, one more behind than before if it is odd
  kValid,  // nothing
};

struct PaddingPair {
  int64_t low = 0;
  int64_t high = 0;
};

// Every list is empty or as long as the window; empty: strides and dilations of 1, no padding, no
// reversal.
struct WindowLists {
  Ints sizes = {};
  Ints strides = {};
  ListArg<PaddingPair> padding = {};
  Ints base_dilations = {};
  Ints window_dilations = {};
  ListArg<bool> reversal = {};
};

}  // namespace ops

// Not part of the interface: the window, or builder.window-lists.
std::optional<std::vector<WindowDimension>> MakeWindow(Operation& operation,
                                                       const ops::WindowLists& lists);

// The padding of `base` under windows without dilation, or builder.same-padding-lists. SAME on a
// dynamic dimension needs a window that is trivial there, as nobody knows the padding
// (builder.same-padding-dynamic). `base` has the sizes, of spatial dimensions or of all.
std::optional<std::vector<ops::PaddingPair>> MakePadding(Operation& operation, const Shape& base,
                                                         ops::Ints sizes, ops::Ints strides,
                                                         ops::Padding padding);

}  // namespace hlo

#endif  // HLOKIT_BUILDER_WINDOW_DIMENSIONS_H_
