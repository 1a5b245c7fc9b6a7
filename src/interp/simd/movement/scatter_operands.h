// The operands of a scatter: the arrays that are combined, the indices, and each array's updates.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_OPERANDS_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_OPERANDS_H_

#include <cstdint>

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

inline int64_t ScatteredArrayCount(const OpView& op) { return op.operand_count() / 2; }

inline const Shape& IndicesOf(const OpView& op) {
  return op.operand_shape(ScatteredArrayCount(op));
}
// Of the first array; those of the others have its sizes.
inline const Shape& UpdatesOf(const OpView& op) {
  return op.operand_shape(ScatteredArrayCount(op) + 1);
}

inline const ArrayRef& IndicesOf(const Evaluation& e) { return e.operand(e.results().size()); }
inline const ArrayRef& UpdatesOf(const Evaluation& e, size_t array) {
  return e.operand(e.results().size() + 1 + array);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_OPERANDS_H_
