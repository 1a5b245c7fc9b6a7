// gtsv: systems with a matrix of three diagonals, by elimination with row exchanges.
#include <cmath>

#include <fmt/format.h>

#include "interp/reference/custom_calls/lapack.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// Row i of the matrix is (below[i], diagonal[i], above[i]) at columns i-1 to i+1; below[0] and
// above[n-1] lie outside. Elimination makes it the upper triangle of its factorization, whose row i
// is (diagonal[i], above[i], second[i]) from column i on.
template <typename S>
struct Tridiagonal {
  ScratchVector<S> below, diagonal, above, second;

  size_t size() const { return diagonal.size(); }
};

template <typename S>
double PivotSize(S x) {
  return std::abs(std::real(x)) + std::abs(std::imag(x));
}

// Eliminates below[i + 1], in `b` too. False when there is no pivot.
template <typename S>
bool EliminateBelow(Tridiagonal<S>& a, size_t i, Matrix<S>& b) {
  S& pivot = a.diagonal[i];
  const S low = a.below[i + 1];
  const auto row = static_cast<int64_t>(i);
  if (PivotSize(pivot) >= PivotSize(low)) {
    if (pivot == S(0)) return false;
    const S factor = low / pivot;
    a.diagonal[i + 1] -= factor * a.above[i];
    for (int64_t c = 0; c < b.columns(); ++c) b(row + 1, c) -= factor * b(row, c);
    return true;
  }
  const S factor = pivot / low;
  pivot = low;
  const S next = a.diagonal[i + 1];
  a.diagonal[i + 1] = a.above[i] - factor * next;
  a.above[i] = next;
  if (i + 2 < a.size()) {
    a.second[i] = a.above[i + 1];
    a.above[i + 1] = -factor * a.second[i];
  }
  for (int64_t c = 0; c < b.columns(); ++c) {
    const S exchanged = b(row, c);
    b(row, c) = b(row + 1, c);
    b(row + 1, c) = exchanged - factor * b(row, c);
  }
  return true;
}

template <typename S>
void SubstituteBack(const Tridiagonal<S>& a, Matrix<S>& b) {
  const auto n = static_cast<int64_t>(a.size());
  for (int64_t i = n - 1; i >= 0; --i) {
    const auto k = static_cast<size_t>(i);
    for (int64_t c = 0; c < b.columns(); ++c) {
      S sum = b(i, c);
      if (i + 1 < n) sum -= a.above[k] * b(i + 1, c);
      if (i + 2 < n) sum -= a.second[k] * b(i + 2, c);
      b(i, c) = sum / a.diagonal[k];
    }
  }
}

// Replaces b by the solution and `a` by its factorization; 0 or the number of the zero pivot.
template <typename S>
int32_t Solve(Tridiagonal<S>& a, Matrix<S>& b) {
  for (size_t i = 0; i + 1 < a.size(); ++i) {
    if (!EliminateBelow(a, i, b)) return static_cast<int32_t>(i + 1);
  }
  if (a.diagonal.back() == S(0)) return static_cast<int32_t>(a.size());
  SubstituteBack(a, b);
  return 0;
}

absl::Status CheckDiagonals(const LapackCall& call) {
  const std::span<const int64_t> dims = call.matrix().dims;
  const int64_t n = dims[dims.size() - 2];
  for (size_t k = 0; k < 3; ++k) {
    if (call.array(k).dims.size() == dims.size() - 1 && call.array(k).dims.back() == n) continue;
    return absl::InvalidArgumentError(
        fmt::format("its diagonals do not have the {} elements of a column of operand 3", n));
  }
  return absl::OkStatus();
}

template <typename S>
Tridiagonal<S> LoadDiagonals(const LapackCall& call, int64_t b) {
  Tridiagonal<S> a = {call.LoadVector<S>(0, b), call.LoadVector<S>(1, b), call.LoadVector<S>(2, b),
                      ScratchVector<S>(call.pool())};
  a.second.resize(a.size());
  return a;
}

}  // namespace

// (below, diagonal, above, b) -> (second diagonal above, diagonal, first above, x, info): the first
// three are those of the factorization, the second diagonal from element 1 on.
template <typename S>
absl::Status Gtsv(const LapackCall& call) {
  HLO_RETURN_IF_ERROR(CheckDiagonals(call));
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Tridiagonal<S> a = LoadDiagonals<S>(call, b);
    Matrix<S> x = call.Load<S>(3, b);
    call.StoreInfo(4, b, Solve(a, x));
    for (size_t i = 0; i + 2 < a.size(); ++i) a.below[i + 1] = a.second[i];
    call.Store(0, b, a.below);
    call.Store(1, b, a.diagonal);
    call.Store(2, b, a.above);
    call.Store(3, b, x);
  }
  return absl::OkStatus();
}

// (below, diagonal, above, b) -> x
template <typename S>
absl::Status Gtsv2(const LapackCall& call) {
  HLO_RETURN_IF_ERROR(CheckDiagonals(call));
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Tridiagonal<S> a = LoadDiagonals<S>(call, b);
    Matrix<S> x = call.Load<S>(3, b);
    Solve(a, x);
    call.Store(0, b, x);
  }
  return absl::OkStatus();
}

HLO_INSTANTIATE_LAPACK(Gtsv)
HLO_INSTANTIATE_LAPACK(Gtsv2)

}  // namespace hlo::reference
