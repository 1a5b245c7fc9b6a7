// Which convolutions are left to the library.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_CHOICE_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_CHOICE_H_

#include "interp/plan/plan.h"
#include "interp/simd/onednn/convolution_form.h"

namespace hlo::simd::onednn {

// Whether our own products are faster.
bool IsFasterAsProduct(const ConvolutionSpec& spec);
// Whether the library makes it in less time as a dot.
bool IsFasterAsDot(const ConvolutionSpec& spec);

// Whether the time that the library's kernel wins pays for making it.
bool IsWorthIt(const Plan& plan, const ConvolutionSpec& spec, bool repeats);
// Whether that may be so, as far as the sizes of arrays tell: to load the library takes as long as
// a small program.
bool MayBeWorthIt(const Plan& plan, const OpView& op, bool repeats);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_CHOICE_H_
