// Convolutions that oneDNN does.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_H_

#include <memory>

#include "interp/kernel/evaluation.h"
#include "interp/plan/plan.h"
#include "interp/simd/onednn/plan_caches.h"

namespace hlo::simd::onednn {

// The program of a convolution that the library is to do; null where `step` is none, or it is not
// there, cannot do it or would not be faster. `repeats`: the step runs again and again.
std::shared_ptr<const StepProgram> MakeConvolutionProgram(const Plan& plan, const Step& step,
                                                          bool repeats, PlanCaches& caches);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_H_
