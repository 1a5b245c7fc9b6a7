// Cumulative sums and products along rows, of floats that are rounded at each step.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_ROWS_H_
#define HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_ROWS_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// For reduce-window of one array of floats narrower than f32 by `opcode`, a sum or a product. Null
// where windows are others, there are few rows, or elements of a row do not lie side by side.
const Kernel* FindCumulativeRowsKernel(const OpView& op, Opcode opcode);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_CUMULATIVE_ROWS_H_
