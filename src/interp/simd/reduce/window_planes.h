// reduce-window over many planes of few elements each.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_WINDOW_PLANES_H_
#define HLOKIT_INTERP_SIMD_REDUCE_WINDOW_PLANES_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// Null where the dimensions from the first one with a window on are no such planes, and for c128.
// Other conditions are those of FindReduceWindowKernel.
const Kernel* FindWindowPlanesKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_WINDOW_PLANES_H_
