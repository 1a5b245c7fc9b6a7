// select-and-scatter by a comparison and addition: the gradient of pooling.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_SELECT_AND_SCATTER_H_
#define HLOKIT_INTERP_SIMD_REDUCE_SELECT_AND_SCATTER_H_

#include "interp/kernel/evaluation.h"
#include "interp/kernel/function_form.h"

namespace hlo::simd {

// The kernel for functions of these forms; null when there is none.
const Kernel* FindSelectAndScatterKernel(const OpView& op, const FunctionForm& select,
                                         const FunctionForm& scatter);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_SELECT_AND_SCATTER_H_
