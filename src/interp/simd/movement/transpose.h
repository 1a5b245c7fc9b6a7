// transpose, and bitcast between layouts, in blocks that fit the cache both ways.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_TRANSPOSE_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_TRANSPOSE_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a transpose of static arrays; null when there is none for it.
const Kernel* FindTransposeKernel(const OpView& op);
// The kernel of a bitcast of static arrays to elements of the same size; null when there is none.
const Kernel* FindBitcastKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_TRANSPOSE_H_
