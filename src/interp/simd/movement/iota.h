// The kernel for iota that is no part of a block.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_IOTA_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_IOTA_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel for an instruction with a result of static sizes; null for others.
const Kernel* FindIotaKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_IOTA_H_
