// scatter of windows whose elements lie side by side.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a scatter of static arrays by `form`; null when there is none for it.
const Kernel* FindScatterKernel(const OpView& op, const FunctionForm& form);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_H_
