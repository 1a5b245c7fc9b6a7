// reduce over any dimensions, where the function is an opcode of which the order does not matter.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_H_
#define HLOKIT_INTERP_SIMD_REDUCE_H_

#include "interp/kernel/evaluation.h"
#include "interp/kernel/function_form.h"

namespace hlo::simd {

// The kernel of a reduce of one static array by a function of `form`; null when there is none.
const Kernel* FindReduceKernel(const OpView& op, const FunctionForm& form);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_H_
