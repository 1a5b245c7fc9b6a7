// reduce-window over one dimension after the other, in rows of neighbours.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_REDUCE_WINDOW_H_
#define HLOKIT_INTERP_SIMD_REDUCE_REDUCE_WINDOW_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a reduce-window of one static array by `form`; null when there is none for it.
const Kernel* FindReduceWindowKernel(const OpView& op, const FunctionForm& form);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_REDUCE_WINDOW_H_
