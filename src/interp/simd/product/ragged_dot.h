// ragged-dot as products of ranges of rows or terms.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_RAGGED_DOT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_RAGGED_DOT_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a ragged-dot of static arrays; null when there is none for it.
const Kernel* FindRaggedDotKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_RAGGED_DOT_H_
