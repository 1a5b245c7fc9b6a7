// The simd backend: vector kernels, chosen at run time for the processor, on all its cores. What it
// has no kernel for falls to the reference one.
#ifndef HLOKIT_INTERP_SIMD_SIMD_H_
#define HLOKIT_INTERP_SIMD_SIMD_H_

#include <optional>
#include <span>
#include <string_view>

#include "interp/kernel/evaluation.h"

namespace hlo {
struct Plan;
struct Step;
}  // namespace hlo

namespace hlo::simd {

// Puts elementwise steps and what belongs to them together in blocks (block.h).
void FuseSteps(Plan& plan);

// The kernel for `step`, or null.
const Kernel* FindKernel(const Plan& plan, const Step& step);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SIMD_H_
