// What a function of reduce makes of elements alone, and what of accumulators, too.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_FOLD_SPLIT_H_
#define HLOKIT_INTERP_SIMD_BLOCK_FOLD_SPLIT_H_

#include <vector>

#include "interp/plan/plan.h"

namespace hlo::simd {

struct FoldSplit {
  std::vector<const Step*> ahead;  // steps that wait for no accumulator
  std::vector<SlotId> made;        // what the others take of them
  std::vector<const Step*> rest;
};

// Of a function whose parameters are `accumulator_count` accumulators and then elements.
FoldSplit SplitFold(const Plan& plan, const Region& region, size_t accumulator_count);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_FOLD_SPLIT_H_
