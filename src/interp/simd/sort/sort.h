// sort by numbers that stand for keys and places.
#ifndef HLOKIT_INTERP_SIMD_SORT_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_SORT_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a sort of static arrays by `form`; null when there is none for it.
const Kernel* FindSortKernel(const OpView& op, const FunctionForm& form);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_SORT_H_
