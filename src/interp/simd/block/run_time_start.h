// Where slices begin whose places a run computes.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_RUN_TIME_START_H_
#define HLOKIT_INTERP_SIMD_BLOCK_RUN_TIME_START_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "interp/kernel/array_view.h"
#include "interp/reference/converted_array.h"

namespace hlo::simd {

// In one dimension: the number that an operand of the step has, clamped to [0, last] so that the
// slice lies inside (semantics.md 7.5), times the stride.
struct RunTimeStart {
  int64_t operand;
  int64_t element;  // of the operand
  int64_t last;
  int64_t stride;
};

// The sum over all dimensions.
inline int64_t OffsetOf(std::span<const RunTimeStart> starts, std::span<const ArrayRef> operands) {
  int64_t offset = 0;
  for (const RunTimeStart& start : starts) {
    const ArrayRef& array = operands[static_cast<size_t>(start.operand)];
    const int64_t index = array.element_type == ElementType::kS32  // as JAX counts
                              ? reinterpret_cast<const int32_t*>(array.bytes)[start.element]
                              : reference::IntegerAt(array, start.element);
    offset += std::clamp<int64_t>(index, 0, start.last) * start.stride;
  }
  return offset;
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_RUN_TIME_START_H_
