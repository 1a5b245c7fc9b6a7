// argmax and argmin along lines that lie dense: the largest or smallest value of each and its
// place.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_REDUCE_EXTREME_H_
#define HLOKIT_INTERP_SIMD_REDUCE_REDUCE_EXTREME_H_

#include "interp/kernel/evaluation.h"
#include "interp/kernel/function_form.h"

namespace hlo::simd {

// The kernel of a reduce of two static arrays by a function of `form`; null when there is none.
const Kernel* FindExtremeKernel(const OpView& op, const FunctionForm& form);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_REDUCE_EXTREME_H_
