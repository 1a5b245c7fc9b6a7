// topk, and the custom calls TopK, PartialReduce and ApproxTopK, by selection.
#ifndef HLOKIT_INTERP_SIMD_SORT_TOPK_H_
#define HLOKIT_INTERP_SIMD_SORT_TOPK_H_

#include "interp/kernel/evaluation.h"
#include "interp/plan/plan.h"

namespace hlo::simd {

// The kernel of a top-k of a static array; null when there is none for it.
const Kernel* FindTopKKernel(const OpView& op);
// The same of a custom call.
const Kernel* FindTopKCallKernel(const Plan& plan, const Step& step);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_TOPK_H_
