// Kernels for bitcast-convert, broadcast, concatenate, copy, reverse and slice.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_DATA_MOVEMENT_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_DATA_MOVEMENT_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel for an instruction of the other opcodes on arrays of static sizes, or null.
const Kernel* FindDataMovementKernel(const OpView& op);
// The same for a bitcast-convert, of elements of whole bytes.
const Kernel* FindBitcastConvertKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_DATA_MOVEMENT_H_
