// Gradients of convolutions by their kernels that oneDNN does.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_KERNEL_GRADIENT_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_KERNEL_GRADIENT_H_

#include <memory>

#include "interp/kernel/evaluation.h"
#include "interp/simd/onednn/convolution_form.h"

namespace hlo::simd::onednn {

// `spec` has that role.
std::shared_ptr<const StepProgram> MakeKernelGradientProgram(const OpView& op, ConvolutionSpec spec,
                                                             ConvolutionForms forms);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_KERNEL_GRADIENT_H_
