// dot of complex numbers as a product of real ones.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_COMPLEX_DOT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_COMPLEX_DOT_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a dot of static arrays of one complex type; null when there is none for it.
const Kernel* FindComplexDotKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_COMPLEX_DOT_H_
