// batch-norm-training, -inference and -grad in one pass over memory for the sums and one for the
// elements.
#ifndef HLOKIT_INTERP_SIMD_LINALG_BATCH_NORM_H_
#define HLOKIT_INTERP_SIMD_LINALG_BATCH_NORM_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of one of these three with static arrays of one type; null when there is none for it.
const Kernel* FindBatchNormKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_BATCH_NORM_H_
