// Kernels for dynamic-slice and dynamic-update-slice.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_DYNAMIC_SLICE_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_DYNAMIC_SLICE_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel for an instruction of these opcodes on arrays of static sizes, or null.
const Kernel* FindDynamicSliceKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_DYNAMIC_SLICE_H_
