// What blocks can reduce: rows, or columns, of the elements in row-major order.
#ifndef HLOKIT_INTERP_SIMD_REDUCED_ROWS_H_
#define HLOKIT_INTERP_SIMD_REDUCED_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "interp/plan/plan.h"

namespace hlo::simd {

// Of a reduce, the elements of the innermost dimensions larger than 1 that are reduced
// (`are_reduced`) or kept, if all others of the kind lie within these; otherwise 0.
inline int64_t InnerLength(const Plan& plan, const Step& step, bool are_reduced) {
  const Shape& operand = *plan.slot(step.operands[0]).shape;
  const auto reduced = plan.instruction(step).Get<Attr::kDimensions>();
  int64_t length = 1;
  bool has_outer = false;
  for (int64_t d = operand.rank() - 1; d >= 0; --d) {
    if (operand.dim(d) == 1) continue;
    const bool is_reduced = std::ranges::find(reduced, d) != reduced.end();
    if (is_reduced != are_reduced) {
      has_outer = true;
    } else if (has_outer) {
      return 0;
    } else {
      length *= operand.dim(d);
    }
  }
  return length;
}

// The number of elements in each reduced row, if the reduced dimensions are the last ones.
inline int64_t RowLength(const Plan& plan, const Step& step) {
  return InnerLength(plan, step, /*are_reduced=*/true);
}
// The number of reduced columns, if the reduced dimensions are the first ones.
inline int64_t ColumnCount(const Plan& plan, const Step& step) {
  return InnerLength(plan, step, /*are_reduced=*/false);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCED_ROWS_H_
