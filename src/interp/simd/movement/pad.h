// Kernels for pad.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_PAD_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_PAD_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel for `op`, a pad, or null.
const Kernel* FindPadKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_PAD_H_
