// The one question about sizes at run time.
#ifndef HLOKIT_IR_RUN_TIME_DIMS_H_
#define HLOKIT_IR_RUN_TIME_DIMS_H_

#include <cstdint>
#include <span>

#include "ir/literal.h"

namespace hlo {

// The sizes of the dimensions of an array: those of the run where they are dynamic, else those
// of its shape. They live as long as the literal and until either is set.
inline std::span<const int64_t> RunTimeDims(const Literal& array) {
  return array.dynamic_sizes().empty() ? array.shape().dims() : array.dynamic_sizes();
}

}  // namespace hlo

#endif  // HLOKIT_IR_RUN_TIME_DIMS_H_
