// Elements that count: begin, begin + stride, begin + 2 stride ...
#ifndef HLOKIT_INTERP_SIMD_LOOPS_COUNT_ELEMENTS_H_
#define HLOKIT_INTERP_SIMD_LOOPS_COUNT_ELEMENTS_H_

#include <cstddef>
#include <cstdint>

#include "ir/element_type.h"

namespace hlo::simd {

// So many elements of `type` at `to`, as they are in memory, converted as from s64.
void CountElements(ElementType type, int64_t begin, int64_t stride, int64_t count, std::byte* to);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_COUNT_ELEMENTS_H_
