// What a comparator makes of either element by itself, and what of both.
#ifndef HLOKIT_INTERP_SIMD_SORT_COMPARATOR_SPLIT_H_
#define HLOKIT_INTERP_SIMD_SORT_COMPARATOR_SPLIT_H_

#include <vector>

#include "interp/plan/plan.h"

namespace hlo::simd {

// A key is the same function of either element: once per element is enough.
struct ComparatorSplit {
  std::vector<SlotId> later, earlier;        // of each key: what it is of a pair's elements
  std::vector<const Step*> key_steps;        // that make those of the later element
  std::vector<const Step*> answering_steps;  // the others, for which keys are like parameters
};

// Without keys where these would gain little. Parameter 2k is of the later element, 2k + 1 the same
// of the earlier one.
ComparatorSplit SplitComparator(const Plan& plan, const Region& region);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_COMPARATOR_SPLIT_H_
