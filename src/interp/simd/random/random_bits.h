// rng-bit-generator, many blocks at once.
#ifndef HLOKIT_INTERP_SIMD_RANDOM_RANDOM_BITS_H_
#define HLOKIT_INTERP_SIMD_RANDOM_RANDOM_BITS_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of an rng-bit-generator of 32-bit or 64-bit elements; null for others.
const Kernel* FindRandomBitsKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_RANDOM_RANDOM_BITS_H_
