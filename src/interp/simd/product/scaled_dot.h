// scaled-dot as a product of arrays that were multiplied by their scales.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_SCALED_DOT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_SCALED_DOT_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a scaled-dot of static arrays of floats; null when there is none for it.
const Kernel* FindScaledDotKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_SCALED_DOT_H_
