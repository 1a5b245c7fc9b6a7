// cholesky, a panel of columns after the other.
#ifndef HLOKIT_INTERP_SIMD_LINALG_CHOLESKY_H_
#define HLOKIT_INTERP_SIMD_LINALG_CHOLESKY_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a cholesky of static arrays; null when there is none for it.
const Kernel* FindCholeskyKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_CHOLESKY_H_
