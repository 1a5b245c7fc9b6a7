// The kernel that runs a ConvolutionProgram.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_STATE_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_STATE_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd::onednn {

const Kernel& ConvolutionKernel();

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_STATE_H_
