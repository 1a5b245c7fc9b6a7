// Sorts of one operand by its own elements.
#ifndef HLOKIT_INTERP_SIMD_SORT_SORT_ELEMENTS_H_
#define HLOKIT_INTERP_SIMD_SORT_SORT_ELEMENTS_H_

#include <atomic>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/sort_lines.h"

namespace hlo::simd {

// Whether a sort of one operand along its last dimension by `key` is one of its keys alone.
bool SortsElements(const FunctionForm::Key& key);

// The sort. Whether elements are NaN goes to `has_nan`: where they are and are compared by value,
// the result is of no use.
absl::Status SortElements(Evaluation& e, const FunctionForm::Key& key,
                          const reference::Lines& lines, std::atomic<bool>& has_nan);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_SORT_ELEMENTS_H_
