// Which steps kernels of this backend may take.
#ifndef HLOKIT_INTERP_SIMD_BASE_REACH_H_
#define HLOKIT_INTERP_SIMD_BASE_REACH_H_

#include <algorithm>
#include <cstdint>

#include "interp/plan/plan.h"

namespace hlo::simd {

// Whether an array of `shape` lies in 48 bits of addresses, dimensions of size 0 taken for 1: so
// strides and the sizes of some of the dimensions do, too.
inline bool IsWithinReach(const Shape& shape) {
  int64_t rest = (int64_t{1} << 48) / ElementByteSize(shape.element_type());
  for (int64_t size : shape.dims()) rest /= std::max<int64_t>(1, size);
  return rest > 0;
}

// Whether all arrays of the step do. Beyond that no program runs, and its step is the reference
// kernel's, which checks every size: so padded and packed forms of arrays have sizes of less than
// 63 bits here.
inline bool IsWithinReach(const Plan& plan, const Step& step) {
  const auto is_small = [&](SlotId slot) { return IsWithinReach(*plan.slot(slot).shape); };
  return std::ranges::all_of(step.operands, is_small) &&
         std::ranges::all_of(step.results, is_small);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BASE_REACH_H_
