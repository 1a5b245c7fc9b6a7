// Kernels for fft.
#ifndef HLOKIT_INTERP_SIMD_LINALG_FFT_H_
#define HLOKIT_INTERP_SIMD_LINALG_FFT_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel for `op`, an fft, or null.
const Kernel* FindFftKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_FFT_H_
