// reduce by functions that are elementwise instructions, of any number of arrays (argmax is one):
// many results at a time, each in the order of the definition.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_REDUCE_FUNCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_REDUCE_FUNCTION_H_

#include <memory>

#include "interp/simd/block/function_fold.h"

namespace hlo::simd {

// Null when there is another kernel, the function has other instructions, or there are too few
// results.
std::shared_ptr<const FoldProgram> MakeFunctionReduce(const Plan& plan, const Step& step);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_REDUCE_FUNCTION_H_
