// Custom calls of LAPACK routines on batches of matrices.
#ifndef HLOKIT_INTERP_SIMD_LINALG_LAPACK_BATCH_H_
#define HLOKIT_INTERP_SIMD_LINALG_LAPACK_BATCH_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a custom call with several matrices; null for others.
const Kernel* FindLapackBatchKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_LAPACK_BATCH_H_
