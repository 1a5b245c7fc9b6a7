// Routines made of Householder reflections H = I - tau v v^H: geqrf, geqp3, orgqr, gehrd,
// sytrd.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "interp/reference/custom_calls/lapack.h"

namespace hlo::reference {
namespace {

// Column `column` of `a` from row `first` on becomes (beta, v_1, v_2, ...): H^H maps what was there
// to (beta, 0, 0, ...) with beta real and v_0 = 1. Returns tau.
template <typename S>
S MakeReflector(Matrix<S>& a, int64_t first, int64_t column) {
  const S alpha = a(first, column);
  double rest = 0;
  for (int64_t i = first + 1; i < a.rows(); ++i) rest += std::norm(a(i, column));
  if (rest == 0 && std::imag(alpha) == 0) return S(0);
  const double norm = std::sqrt(std::norm(alpha) + rest);
  const double beta = std::real(alpha) >= 0 ? -norm : norm;
  for (int64_t i = first + 1; i < a.rows(); ++i) a(i, column) /= alpha - beta;
  a(first, column) = beta;
  return (S(beta) - alpha) / beta;
}

// The reflector stored in column `column` of `a`, from row `first` on.
template <typename S>
ScratchVector<S> Reflector(const Matrix<S>& a, int64_t first, int64_t column) {
  ScratchVector<S> v(static_cast<size_t>(a.rows() - first), a.pool());
  v[0] = S(1);
  for (int64_t i = first + 1; i < a.rows(); ++i) v[i - first] = a(i, column);
  return v;
}

// Rows from `first` on, columns from `column` on: a -= factor * v (v^H a).
template <typename S>
void ReflectRows(const ScratchVector<S>& v, S factor, int64_t first, int64_t column, Matrix<S>& a) {
  for (int64_t c = column; c < a.columns(); ++c) {
    S dot(0);
    for (size_t i = 0; i < v.size(); ++i) dot += Conjugate(v[i]) * a(first + i, c);
    for (size_t i = 0; i < v.size(); ++i) a(first + i, c) -= factor * v[i] * dot;
  }
}

// Columns from `first` on: a -= factor * (a v) v^H.
template <typename S>
void ReflectColumns(const ScratchVector<S>& v, S factor, int64_t first, Matrix<S>& a) {
  for (int64_t r = 0; r < a.rows(); ++r) {
    S dot(0);
    for (size_t i = 0; i < v.size(); ++i) dot += a(r, first + i) * v[i];
    for (size_t i = 0; i < v.size(); ++i) a(r, first + i) -= factor * dot * Conjugate(v[i]);
  }
}

// How many reflectors make `a` a triangle.
template <typename S>
size_t ReflectorCount(const Matrix<S>& a) {
  return static_cast<size_t>(std::min(a.rows(), a.columns()));
}

// One step of the QR factorization: makes column j zero below the diagonal. Returns tau.
template <typename S>
S EliminateColumn(Matrix<S>& a, int64_t j) {
  const S tau = MakeReflector(a, j, j);
  ReflectRows(Reflector(a, j, j), Conjugate(tau), j, j + 1, a);
  return tau;
}

// Exchanges columns of `a`, and what `order` says of them.
template <typename S>
void SwapColumns(Matrix<S>& a, ScratchVector<int32_t>& order, int64_t i, int64_t j) {
  if (i == j) return;
  for (int64_t row = 0; row < a.rows(); ++row) std::swap(a(row, i), a(row, j));
  std::swap(order[i], order[j]);
}

// Puts the columns that `fixed` marks first, in their order. Returns how many these are; `order`
// gets the numbers of the columns, from 1.
template <typename S>
int64_t BringFixedFirst(const ScratchVector<double>& fixed, Matrix<S>& a,
                        ScratchVector<int32_t>& order) {
  order.resize(fixed.size());
  std::iota(order.begin(), order.end(), 1);
  int64_t count = 0;
  for (size_t j = 0; j < fixed.size(); ++j) {
    if (fixed[j] != 0) SwapColumns(a, order, count++, static_cast<int64_t>(j));
  }
  return count;
}

// Of the columns from `j` on the first one with the largest norm from row j on.
template <typename S>
int64_t LargestColumn(const Matrix<S>& a, int64_t j) {
  int64_t largest = j;
  double largest_norm = -1;
  for (int64_t column = j; column < a.columns(); ++column) {
    double norm = 0;
    for (int64_t i = j; i < a.rows(); ++i) norm += std::norm(a(i, column));
    if (norm > largest_norm) largest = column;
    largest_norm = std::max(largest_norm, norm);
  }
  return largest;
}

// Upper Hessenberg form by similarity, reflectors below the first subdiagonal; returns taus.
template <typename S>
ScratchVector<S> ReduceToHessenberg(Matrix<S>& a) {
  ScratchVector<S> taus(a.pool());
  taus.reserve(static_cast<size_t>(a.rows()));
  for (int64_t j = 0; j + 1 < a.rows(); ++j) {
    const S tau = MakeReflector(a, j + 1, j);
    const ScratchVector<S> v = Reflector(a, j + 1, j);
    ReflectColumns(v, tau, j + 1, a);
    // Column j holds its result and the reflector already.
    ReflectRows(v, Conjugate(tau), j + 1, j + 1, a);
    taus.push_back(tau);
  }
  return taus;
}

// Rows and columns in reverse order.
template <typename S>
void ReverseBoth(Matrix<S>& a) {
  std::ranges::reverse(a.elements());
}

}  // namespace

// (a) -> (r and reflectors, taus, ...)
template <typename S>
absl::Status Geqrf(const LapackCall& call) {
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = call.Load<S>(0, b);
    ScratchVector<S> taus(ReflectorCount(a), call.pool());
    for (size_t j = 0; j < taus.size(); ++j) {
      taus[j] = EliminateColumn(a, static_cast<int64_t>(j));
    }
    call.Store(0, b, a);
    call.Store(1, b, taus);
  }
  return absl::OkStatus();
}

// (a, columns to come first where not 0) -> (r and reflectors, numbers of its columns in a from 1,
// taus, ...)
template <typename S>
absl::Status Geqp3(const LapackCall& call) {
  if (call.array_count() < 2 || call.array(1).dims.size() + 1 != call.matrix().dims.size() ||
      call.array(1).dims.back() != call.matrix().dims.back()) {
    return absl::InvalidArgumentError("geqp3 takes a matrix and a number for each of its columns");
  }
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = call.Load<S>(0, b);
    ScratchVector<int32_t> order(call.pool());
    const int64_t fixed_count = BringFixedFirst(call.LoadVector<double>(1, b), a, order);
    ScratchVector<S> taus(ReflectorCount(a), call.pool());
    for (int64_t j = 0; j < static_cast<int64_t>(taus.size()); ++j) {
      if (j >= fixed_count) SwapColumns(a, order, j, LargestColumn(a, j));
      taus[j] = EliminateColumn(a, j);
    }
    call.Store(0, b, a);
    call.Store(1, b, order);
    call.Store(2, b, taus);
  }
  return absl::OkStatus();
}

// (reflectors, taus) -> (q, ...): the first columns of H_0 H_1 ...
template <typename S>
absl::Status Orgqr(const LapackCall& call) {
  if (call.array_count() < 2) return absl::InvalidArgumentError("orgqr takes reflectors and taus");
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    const Matrix<S> a = call.Load<S>(0, b);
    const ScratchVector<S> taus = call.LoadVector<S>(1, b);
    Matrix<S> q = Matrix<S>::Identity(call.pool(), a.rows(), a.columns());
    const int64_t count = std::min({static_cast<int64_t>(taus.size()), a.rows(), a.columns()});
    for (int64_t j = count - 1; j >= 0; --j) {
      ReflectRows(Reflector(a, j, j), taus[j], j, 0, q);
    }
    call.Store(0, b, q);
  }
  return absl::OkStatus();
}

// (a) -> (Hessenberg matrix and reflectors, taus, info)
template <typename S>
absl::Status Gehrd(const LapackCall& call) {
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = call.Load<S>(0, b);
    call.Store(1, b, ReduceToHessenberg(a));
    call.Store(0, b, a);
  }
  return absl::OkStatus();
}

// (a) -> (tridiagonal matrix and reflectors, its diagonal, its off-diagonal, taus, info). The upper
// form is the lower one of the matrix with rows and columns in reverse. Nothing but the named
// triangle is read or written.
template <typename S>
absl::Status Sytrd(const LapackCall& call) {
  const bool lower = call.IsLower(1);  // the older interface begins with n, lower
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> original = call.Load<S>(0, b);
    if (!lower) ReverseBoth(original);
    Matrix<S> a = original;
    for (int64_t i = 0; i < a.rows(); ++i) {
      for (int64_t j = i + 1; j < a.columns(); ++j) a(i, j) = Conjugate(a(j, i));
    }
    ScratchVector<S> taus = ReduceToHessenberg(a);
    ScratchVector<double> diagonal(static_cast<size_t>(a.rows()), call.pool());
    ScratchVector<double> off_diagonal(taus.size(), call.pool());
    for (int64_t i = 0; i < a.rows(); ++i) {
      diagonal[i] = std::real(a(i, i));
      if (i > 0) off_diagonal[i - 1] = std::real(a(i, i - 1));
      for (int64_t j = 0; j <= i; ++j) original(i, j) = a(i, j);
    }
    if (!lower) {
      ReverseBoth(original);
      for (auto* list : {&diagonal, &off_diagonal}) std::ranges::reverse(*list);
      std::ranges::reverse(taus);
    }
    call.Store(0, b, original);
    call.Store(1, b, diagonal);
    call.Store(2, b, off_diagonal);
    call.Store(3, b, taus);
  }
  return absl::OkStatus();
}

HLO_INSTANTIATE_LAPACK(Geqrf)
HLO_INSTANTIATE_LAPACK(Geqp3)
HLO_INSTANTIATE_LAPACK(Orgqr)
HLO_INSTANTIATE_LAPACK(Gehrd)
HLO_INSTANTIATE_LAPACK(Sytrd)

}  // namespace hlo::reference
