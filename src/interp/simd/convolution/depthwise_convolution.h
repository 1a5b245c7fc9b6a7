// convolution with few output features in each of several groups, as of channels that stand alone.
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_CONVOLUTION_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_CONVOLUTION_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a convolution of static arrays of real numbers, whose result has floats or integers
// that wrap, or of one complex type with one output feature in each group; null where what windows
// skip is beyond all measure.
const Kernel* FindDepthwiseConvolutionKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_CONVOLUTION_H_
