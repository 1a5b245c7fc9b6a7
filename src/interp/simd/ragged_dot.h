// ragged-dot of ragged rows, such as those of experts in a mixture, as a product for each group.
#ifndef HLOKIT_INTERP_SIMD_RAGGED_DOT_H_
#define HLOKIT_INTERP_SIMD_RAGGED_DOT_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a ragged-dot of static arrays; null when there is none for it.
const Kernel* FindRaggedDotKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_RAGGED_DOT_H_
