// rng: uniform and normal numbers, many at once.
#ifndef HLOKIT_INTERP_SIMD_RANDOM_RANDOM_NUMBERS_H_
#define HLOKIT_INTERP_SIMD_RANDOM_RANDOM_NUMBERS_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of an rng; null where its result has a dynamic dimension.
const Kernel* FindRandomNumbersKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_RANDOM_RANDOM_NUMBERS_H_
