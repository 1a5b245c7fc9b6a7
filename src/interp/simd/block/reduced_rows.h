// What blocks can reduce: rows, or columns, of the elements in row-major order.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_REDUCED_ROWS_H_
#define HLOKIT_INTERP_SIMD_BLOCK_REDUCED_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "interp/plan/plan.h"

namespace hlo::simd {

// The operand of a reduce as [batch, outer, kept, length], of which `outer` and `length` are
// reduced.
struct ReducedShape {
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t kept = 1;
  int64_t length = 0;  // of a row; 1: the innermost elements are kept; 0: it has another form
};

inline ReducedShape ReducedShapeOf(const Plan& plan, const Step& step) {
  const Shape& operand = *plan.slot(step.operands[0]).shape;
  const auto reduced = plan.instruction(step).Get<Attr::kDimensions>();
  ReducedShape rows = {.length = 1};
  int64_t* const sizes[] = {&rows.length, &rows.kept, &rows.outer, &rows.batch};
  size_t kind = 0;
  for (int64_t d = operand.rank() - 1; d >= 0; --d) {
    if (operand.dim(d) == 1) continue;
    const bool is_reduced = std::ranges::find(reduced, d) != reduced.end();
    if (is_reduced != (kind % 2 == 0)) ++kind;
    if (kind == std::size(sizes)) return {};
    *sizes[kind] *= operand.dim(d);
  }
  return rows;
}

// The number of elements in each reduced row, if the reduced dimensions are the last ones.
inline int64_t RowLength(const Plan& plan, const Step& step) {
  const ReducedShape rows = ReducedShapeOf(plan, step);
  return rows.outer == 1 ? rows.length : 0;
}

// The number of entries of a batch of which those of both are parts; nothing where neither's are.
inline std::optional<int64_t> CommonBatch(int64_t a, int64_t b) {
  const int64_t most = std::max(a, b);
  return most % std::min(a, b) == 0 ? std::optional(most) : std::nullopt;
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_REDUCED_ROWS_H_
