// The keys of comparators that compare several values.
#ifndef HLOKIT_INTERP_SIMD_SORT_KEYS_H_
#define HLOKIT_INTERP_SIMD_SORT_KEYS_H_

#include <cstdint>
#include <vector>

#include "interp/plan/plan.h"

namespace hlo::simd {

// One value of a comparator: as FunctionForm says of comparators of a single one.
struct SortKey {
  int64_t parameter;  // the operand
  ElementType element_type;
  bool ascending;
  bool total_order = false;
  bool is_canonical = false;
};

// The keys of a comparator, however it is written, where the first one that differs decides: that
// one first. None where it is no such comparator. Keys that are no total order (floats by value)
// are ordered as long as there is no NaN.
std::vector<SortKey> FindSortKeys(const Plan& plan, const Region& comparator);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_KEYS_H_
