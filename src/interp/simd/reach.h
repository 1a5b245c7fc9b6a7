// Which steps kernels of this backend may take.
#ifndef HLOKIT_INTERP_SIMD_REACH_H_
#define HLOKIT_INTERP_SIMD_REACH_H_

#include <algorithm>
#include <cstdint>

#include "interp/plan/plan.h"

namespace hlo::simd {

// Whether all arrays of the step lie in 48 bits of addresses. Beyond that no program runs, and its
// step is the reference kernel's, which checks every size: so padded and packed forms of arrays
// have sizes of less than 63 bits here.
inline bool IsWithinReach(const Plan& plan, const Step& step) {
  const auto is_small = [&](SlotId slot) { return plan.slot(slot).byte_size <= int64_t{1} << 48; };
  return std::ranges::all_of(step.operands, is_small) &&
         std::ranges::all_of(step.results, is_small);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REACH_H_
