// triangular-solve, a tile of columns after the other.
#ifndef HLOKIT_INTERP_SIMD_LINALG_TRIANGULAR_SOLVE_H_
#define HLOKIT_INTERP_SIMD_LINALG_TRIANGULAR_SOLVE_H_

#include "interp/kernel/evaluation.h"

namespace hlo::simd {

// The kernel of a triangular-solve of static arrays; null when there is none for it.
const Kernel* FindTriangularSolveKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_TRIANGULAR_SOLVE_H_
