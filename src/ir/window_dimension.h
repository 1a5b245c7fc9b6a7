// A window that is not written has rank 0: it covers one element in every dimension
// (grammar.md 5.2).
#ifndef HLOKIT_IR_WINDOW_DIMENSION_H_
#define HLOKIT_IR_WINDOW_DIMENSION_H_

#include <cstdint>

#include "ir/attribute_values.h"

namespace hlo {

inline WindowDimension WindowDimensionAt(const Window& window, int64_t d) {
  return window.dimensions.empty() ? WindowDimension{} : window.dimensions[static_cast<size_t>(d)];
}

}  // namespace hlo

#endif  // HLOKIT_IR_WINDOW_DIMENSION_H_
