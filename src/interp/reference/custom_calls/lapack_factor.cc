// potrf, getrf and trsm. Innermost loops go along rows, which lie in one piece.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "interp/reference/custom_calls/lapack.h"

namespace hlo::reference {
namespace {

// Cholesky in place, lower triangle; 0 or the order of the first minor that is not positive.
template <typename S>
int32_t FactorizeLower(Matrix<S>& a) {
  ScratchVector<S> column(static_cast<size_t>(a.rows()), a.pool());  // j, conjugated
  for (int64_t j = 0; j < a.rows(); ++j) {
    const double pivot = std::real(a(j, j));
    if (!(pivot > 0)) return static_cast<int32_t>(j + 1);
    a(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      a(i, j) /= a(j, j);
      column[i] = Conjugate(a(i, j));
      for (int64_t k = j + 1; k <= i; ++k) a(i, k) -= a(i, j) * column[k];
    }
  }
  return 0;
}

// |re| + |im|, by which LAPACK chooses pivots.
double PivotSize(double x) { return std::abs(x); }
double PivotSize(std::complex<double> x) { return std::abs(x.real()) + std::abs(x.imag()); }

// LU with row exchanges in place; 0 or the number of the first zero pivot.
template <typename S>
int32_t FactorizePivoting(Matrix<S>& a, ScratchVector<int32_t>& pivots) {
  int32_t info = 0;
  pivots.reserve(static_cast<size_t>(std::min(a.rows(), a.columns())));
  for (int64_t j = 0; j < std::min(a.rows(), a.columns()); ++j) {
    int64_t pivot = j;
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      if (PivotSize(a(i, j)) > PivotSize(a(pivot, j))) pivot = i;
    }
    pivots.push_back(static_cast<int32_t>(pivot + 1));
    if (pivot != j) std::swap_ranges(&a(j, 0), &a(j, 0) + a.columns(), &a(pivot, 0));
    if (a(j, j) == S(0)) {
      if (info == 0) info = static_cast<int32_t>(j + 1);
      continue;
    }
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      a(i, j) /= a(j, j);
      for (int64_t k = j + 1; k < a.columns(); ++k) a(i, k) -= a(i, j) * a(j, k);
    }
  }
  return info;
}

// Replaces b by the solution of a x = b; of a only the named triangle is read.
template <typename S>
void SolveTriangle(const Matrix<S>& a, bool lower, bool unit_diagonal, Matrix<S>& b) {
  for (int64_t step = 0; step < a.rows(); ++step) {
    const int64_t i = lower ? step : a.rows() - 1 - step;
    const int64_t begin = lower ? 0 : i + 1;
    const int64_t end = lower ? i : a.rows();
    for (int64_t k = begin; k < end; ++k) {
      for (int64_t c = 0; c < b.columns(); ++c) b(i, c) -= a(i, k) * b(k, c);
    }
    if (unit_diagonal) continue;
    for (int64_t c = 0; c < b.columns(); ++c) b(i, c) /= a(i, i);
  }
}

}  // namespace

// (a) -> (factor, info); the other triangle keeps what it held.
template <typename S>
absl::Status Potrf(const LapackCall& call) {
  const bool lower = call.IsLower(0);
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = lower ? call.Load<S>(0, b) : call.Load<S>(0, b).Adjoint();
    call.StoreInfo(1, b, FactorizeLower(a));
    call.Store(0, b, lower ? a : a.Adjoint());
  }
  return absl::OkStatus();
}

// (a) -> (lu, pivots from 1, info)
template <typename S>
absl::Status Getrf(const LapackCall& call) {
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = call.Load<S>(0, b);
    ScratchVector<int32_t> pivots(call.pool());
    call.StoreInfo(2, b, FactorizePivoting(a, pivots));
    call.Store(1, b, pivots);
    call.Store(0, b, a);
  }
  return absl::OkStatus();
}

// (a) -> (lu, pivots from 0, the rows of a in the order of lu's)
template <typename S>
absl::Status LuDecomposition(const LapackCall& call) {
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = call.Load<S>(0, b);
    ScratchVector<int32_t> pivots(call.pool());
    FactorizePivoting(a, pivots);
    ScratchVector<int32_t> rows(static_cast<size_t>(a.rows()), call.pool());
    std::iota(rows.begin(), rows.end(), 0);
    for (size_t i = 0; i < pivots.size(); ++i) std::swap(rows[i], rows[--pivots[i]]);
    call.Store(0, b, a);
    call.Store(1, b, pivots);
    call.Store(2, b, rows);
  }
  return absl::OkStatus();
}

// (a, b) -> x with op(a) x = b, or x op(a) = b.
template <typename S>
absl::Status Trsm(const LapackCall& call) {
  if (call.array_count() < 2) return absl::InvalidArgumentError("trsm takes two matrices");
  const int64_t side = call.Flag(LapackFlag::kSide, 0, 'L');
  const bool left = side == 'L' || side == 1;
  const std::span<const int64_t> dims = call.array(1).dims;
  if (dims.size() != call.array(0).dims.size() ||
      dims[dims.size() - (left ? 2 : 1)] != call.array(0).dims.back()) {
    return absl::InvalidArgumentError("the matrices of trsm do not fit each other");
  }
  const int64_t transpose = call.Flag(LapackFlag::kTransX, 2, 'N');
  const bool is_adjoint = transpose == 'C' || transpose == 2;
  const bool is_transposed = is_adjoint || transpose == 'T' || transpose == 1;
  const int64_t diagonal = call.Flag(LapackFlag::kDiag, 3, 'N');
  const bool unit_diagonal = diagonal == 'U' || diagonal == 1;
  const bool lower = call.IsLower(1) != (is_transposed == left);
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = call.Load<S>(0, b);
    if (is_adjoint) {
      for (S& x : a.elements()) x = Conjugate(x);
    }
    // x op(a) = b is op(a)^T x^T = b^T.
    if (is_transposed == left) a = a.Transpose();
    Matrix<S> x = left ? call.Load<S>(1, b) : call.Load<S>(1, b).Transpose();
    SolveTriangle(a, lower, unit_diagonal, x);
    call.Store(0, b, left ? x : x.Transpose());
  }
  return absl::OkStatus();
}

HLO_INSTANTIATE_LAPACK(Potrf)
HLO_INSTANTIATE_LAPACK(Getrf)
HLO_INSTANTIATE_LAPACK(LuDecomposition)
HLO_INSTANTIATE_LAPACK(Trsm)

}  // namespace hlo::reference
