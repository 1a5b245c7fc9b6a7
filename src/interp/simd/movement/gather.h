// Kernels for gather.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_GATHER_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_GATHER_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel for `op`, a gather, or null.
const Kernel* FindGatherKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_GATHER_H_
