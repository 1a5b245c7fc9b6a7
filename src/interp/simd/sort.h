// sort by numbers that stand for keys and places.
#ifndef HLOKIT_INTERP_SIMD_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_H_

#include <memory>

#include "interp/kernel/evaluation.h"
#include "interp/plan/plan.h"

namespace hlo::simd {

// The kernel of a sort of static arrays by `form`; null when there is none for it.
const Kernel* FindSortKernel(const OpView& op, const FunctionForm& form);

// What to do in place of `step` if it is a sort whose comparator compares several keys; else null.
std::shared_ptr<const StepProgram> MakeSortProgram(const Plan& plan, const Step& step);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_H_
