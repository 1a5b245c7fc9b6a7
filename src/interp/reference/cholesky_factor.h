// The Cholesky factor of one matrix (semantics.md 11.2).
#ifndef HLOKIT_INTERP_REFERENCE_CHOLESKY_FACTOR_H_
#define HLOKIT_INTERP_REFERENCE_CHOLESKY_FACTOR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "interp/reference/wide_number.h"

namespace hlo::reference {

// The lower factor of one matrix, row-major in `matrix`, of which the lower triangle is given and
// the upper one is not read. False when a pivot is not positive and the matrix has no factor.
template <typename T>
bool Factorize(int64_t size, WideOf<T>* matrix) {
  using Wide = WideOf<T>;
  for (int64_t j = 0; j < size; ++j) {
    const Wide* row_j = matrix + j * size;
    double pivot = RealPart(row_j[j]);
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(row_j[k]);
    if (!(pivot >= 0)) return false;
    const Wide diagonal = Round<T>(std::sqrt(pivot));
    matrix[j * size + j] = diagonal;
    for (int64_t i = j + 1; i < size; ++i) {
      Wide* row_i = matrix + i * size;
      Wide sum = row_i[j];
      for (int64_t k = 0; k < j; ++k) sum -= row_i[k] * Conjugate(row_j[k]);
      row_i[j] = Round<T>(sum / diagonal);
    }
  }
  return true;
}

// NaN where there is no factor.
template <typename T>
void StoreNoFactor(int64_t size, T* result) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::fill_n(result, size * size, static_cast<T>(WideOf<T>(nan)));
}

// The factor of the matrix whose lower or upper triangle is given; `matrix` has room for it.
template <typename T>
void StoreCholeskyFactor(const T* operand, int64_t size, bool lower, WideOf<T>* matrix, T* result) {
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      matrix[i * size + j] =
          lower ? Widen(operand[i * size + j]) : Conjugate(Widen(operand[j * size + i]));
    }
  }
  if (!Factorize<T>(size, matrix)) return StoreNoFactor(size, result);
  std::fill_n(result, size * size, static_cast<T>(0.0f));
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const WideOf<T> x = matrix[i * size + j];
      result[lower ? i * size + j : j * size + i] = static_cast<T>(lower ? x : Conjugate(x));
    }
  }
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CHOLESKY_FACTOR_H_
