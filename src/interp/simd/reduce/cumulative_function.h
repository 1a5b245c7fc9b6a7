// reduce-window by functions whose windows are cumulative, so that each result is made from the one
// before it.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_FUNCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_FUNCTION_H_

#include <memory>
#include <span>

#include "interp/simd/block/function_fold.h"

namespace hlo::simd {

// Of results of `dims`, along `dimension` of these.
std::shared_ptr<const FoldProgram> MakeCumulativeFunction(FunctionFold fold,
                                                          std::span<const int64_t> dims,
                                                          int64_t dimension);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_FUNCTION_H_
