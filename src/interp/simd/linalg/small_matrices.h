// Cholesky factors and solutions of triangular systems of matrices that are so small that vectors
// hold an entry of many of them: what takes long, roots and quotients, is done of all at a time, by
// the steps of the definition (reference/cholesky_factor.h, triangular_system.h), whose bits it
// gives.
#ifndef HLOKIT_INTERP_SIMD_LINALG_SMALL_MATRICES_H_
#define HLOKIT_INTERP_SIMD_LINALG_SMALL_MATRICES_H_

#include <cstdint>

#include "interp/reference/triangular_system.h"
#include "ir/element_traits.h"

namespace hlo::simd {

// How many matrices are done together.
inline constexpr int64_t kMatricesAtOnce = 8;
// Most rows of a matrix, and columns of an unknown.
inline constexpr int64_t kSmallSize = 8;

// Those of kMatricesAtOnce matrices, one behind the other.
template <typename T>
struct SmallMatrices {
  void (*factorize)(const T* operand, int64_t size, bool lower, T* result);
  void (*solve)(const reference::TriangularForm& form, const T* a, const T* b, T* x);
};

// In the instruction set that this processor has; T: float, double, Bf16, F16.
template <typename T>
const SmallMatrices<T>& GetSmallMatrices();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_SMALL_MATRICES_H_
