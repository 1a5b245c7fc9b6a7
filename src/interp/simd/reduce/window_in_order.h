// reduce-window of sums of narrow floats, which round at every step and so are to be taken in the
// order of the definition.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_WINDOW_IN_ORDER_H_
#define HLOKIT_INTERP_SIMD_REDUCE_WINDOW_IN_ORDER_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a reduce-window of one array of narrow floats by addition; null where all results
// are one line or a few, whose parts others share out.
const Kernel* FindWindowInOrderKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_WINDOW_IN_ORDER_H_
