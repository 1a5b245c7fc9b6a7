// Sorts by a float that is compared by value where many elements are NaN.
#ifndef HLOKIT_INTERP_SIMD_SORT_NAN_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_NAN_SORT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/kernel/function_form.h"
#include "interp/reference/sort_lines.h"

namespace hlo::simd {

// Whether so many of `count` elements are enough for it.
constexpr bool AreManyNan(int64_t nan_count, int64_t count) { return nan_count >= count / 8; }

// Sorts all operands as the reference kernel does by this key alone.
absl::Status SortManyNan(Evaluation& e, const FunctionForm::Key& key,
                         const reference::Lines& lines);

// The bytes of scratch memory that this takes for lines of `length` elements.
int64_t ManyNanScratch(int64_t length, int64_t line_count);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_NAN_SORT_H_
