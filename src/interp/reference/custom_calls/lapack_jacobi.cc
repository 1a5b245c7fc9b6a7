// Eigenvalues (syevd) and singular values (gesdd) by Jacobi rotations: slower than reductions to
// bidiagonal form and as accurate as any method, also for small values.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "interp/reference/custom_calls/lapack.h"
#include "interp/reference/merge_sort.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMaxSweeps = 60;
constexpr int32_t kNotFinite = -4;  // LAPACK: argument 4, the matrix, holds NaN or infinity

// The rotation of columns p and q that makes [[app, apq], [conj(apq), aqq]] diagonal:
// p' = cosine * p - sine * phase * q, q' = sine * p + cosine * phase * q.
template <typename S>
struct Rotation {
  Rotation(double app, double aqq, S apq) {
    const double size = std::abs(apq);
    const double tau = (aqq - app) / (2 * size);
    const double tangent = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
    cosine = 1 / std::sqrt(1 + tangent * tangent);
    sine = tangent * cosine;
    phase = Conjugate(apq) / size;
  }
  void ApplyToColumns(Matrix<S>& a, int64_t p, int64_t q) const {
    for (int64_t i = 0; i < a.rows(); ++i) {
      const S x = a(i, p);
      const S y = phase * a(i, q);
      a(i, p) = cosine * x - sine * y;
      a(i, q) = sine * x + cosine * y;
    }
  }
  void ApplyToRows(Matrix<S>& a, int64_t p, int64_t q) const {
    for (int64_t i = 0; i < a.columns(); ++i) {
      const S x = a(p, i);
      const S y = Conjugate(phase) * a(q, i);
      a(p, i) = cosine * x - sine * y;
      a(q, i) = sine * x + cosine * y;
    }
  }

  double cosine, sine;
  S phase;
};

template <typename S>
bool IsFinite(const Matrix<S>& a) {
  return std::ranges::all_of(a.elements(), [](S x) { return std::isfinite(std::abs(x)); });
}

// The columns of `a` in the given order.
template <typename S>
Matrix<S> SelectColumns(const Matrix<S>& a, const ScratchVector<int64_t>& order) {
  Matrix<S> result(a.pool(), a.rows(), static_cast<int64_t>(order.size()));
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (size_t j = 0; j < order.size(); ++j) result(i, j) = a(i, order[j]);
  }
  return result;
}

// Makes `a` diagonal and collects the rotations in `vectors`; false when it takes too long.
template <typename S>
bool Diagonalize(Matrix<S>& a, Matrix<S>& vectors) {
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool is_diagonal = true;
    for (int64_t p = 0; p < a.rows(); ++p) {
      for (int64_t q = p + 1; q < a.rows(); ++q) {
        const double scale = std::sqrt(std::abs(a(p, p))) * std::sqrt(std::abs(a(q, q)));
        const double off = std::abs(a(p, q));
        if (off <= kEpsilon * scale || off < std::numeric_limits<double>::min()) continue;
        is_diagonal = false;
        const Rotation<S> rotation(std::real(a(p, p)), std::real(a(q, q)), a(p, q));
        rotation.ApplyToColumns(a, p, q);
        rotation.ApplyToRows(a, p, q);
        rotation.ApplyToColumns(vectors, p, q);
        a(p, q) = a(q, p) = S(0);
      }
    }
    if (is_diagonal) return true;
  }
  return false;
}

// Makes the columns of `u` orthogonal and collects the rotations in `v`.
template <typename S>
void Orthogonalize(Matrix<S>& u, Matrix<S>& v) {
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool is_orthogonal = true;
    for (int64_t p = 0; p < u.columns(); ++p) {
      for (int64_t q = p + 1; q < u.columns(); ++q) {
        double pp = 0, qq = 0;
        S pq(0);
        for (int64_t i = 0; i < u.rows(); ++i) {
          pp += std::norm(u(i, p));
          qq += std::norm(u(i, q));
          pq += Conjugate(u(i, p)) * u(i, q);
        }
        const double size = std::abs(pq);
        if (size <= kEpsilon * std::sqrt(pp) * std::sqrt(qq) ||
            size < std::numeric_limits<double>::min()) {
          continue;
        }
        is_orthogonal = false;
        const Rotation<S> rotation(pp, qq, pq);
        rotation.ApplyToColumns(u, p, q);
        rotation.ApplyToColumns(v, p, q);
      }
    }
    if (is_orthogonal) return;
  }
}

template <typename S>
double ColumnNorm(const Matrix<S>& a, int64_t column) {
  double sum = 0;
  for (int64_t i = 0; i < a.rows(); ++i) sum += std::norm(a(i, column));
  return std::sqrt(sum);
}

// Fills columns from `first` on so that all columns are orthonormal: unit vectors, freed twice
// from what the earlier columns span of them.
template <typename S>
void CompleteBasis(Matrix<S>& u, int64_t first) {
  int64_t unit = 0;
  for (int64_t column = first; column < u.columns(); ++unit) {
    for (int64_t i = 0; i < u.rows(); ++i) u(i, column) = S(i == unit % u.rows() ? 1 : 0);
    for (int round = 0; round < 2; ++round) {
      for (int64_t other = 0; other < column; ++other) {
        S dot(0);
        for (int64_t i = 0; i < u.rows(); ++i) dot += Conjugate(u(i, other)) * u(i, column);
        for (int64_t i = 0; i < u.rows(); ++i) u(i, column) -= dot * u(i, other);
      }
    }
    const double norm = ColumnNorm(u, column);
    if (norm < 0.5 / static_cast<double>(u.rows())) continue;
    for (int64_t i = 0; i < u.rows(); ++i) u(i, column) /= norm;
    ++column;
  }
}

// The places of `count` items in the order in which comes_first(i, j) has them.
template <typename ComesFirst>
ScratchVector<int64_t> SortedPlaces(ScratchPool& pool, int64_t count, ComesFirst comes_first) {
  ScratchVector<int64_t> places(static_cast<size_t>(count), pool);
  ScratchVector<int64_t> scratch(places.size(), pool);
  std::iota(places.begin(), places.end(), 0);
  MergeSort(std::span<int64_t>(places), std::span<int64_t>(scratch), comes_first);
  return places;
}

template <typename S>
struct SingularValues {
  Matrix<S> u, v;  // columns
  ScratchVector<double> values;
};

// a = u * diag(values) * v^H for a with no more columns than rows; u and v get `u_columns` and all
// columns.
template <typename S>
SingularValues<S> DecomposeTall(const Matrix<S>& a, int64_t u_columns) {
  Matrix<S> u = a;
  Matrix<S> v = Matrix<S>::Identity(a.pool(), a.columns(), a.columns());
  Orthogonalize(u, v);
  ScratchVector<double> norms(static_cast<size_t>(u.columns()), a.pool());
  for (int64_t j = 0; j < u.columns(); ++j) norms[j] = ColumnNorm(u, j);
  const ScratchVector<int64_t> order = SortedPlaces(
      a.pool(), u.columns(), [&](int64_t i, int64_t j) { return norms[i] > norms[j]; });
  SingularValues<S> result = {Matrix<S>(a.pool(), a.rows(), u_columns), SelectColumns(v, order),
                              ScratchVector<double>(order.size(), a.pool())};
  int64_t nonzero = 0;
  for (size_t j = 0; j < order.size(); ++j) {
    result.values[j] = norms[order[j]];
    if (norms[order[j]] == 0) continue;
    for (int64_t i = 0; i < a.rows(); ++i) result.u(i, j) = u(i, order[j]) / norms[order[j]];
    ++nonzero;
  }
  CompleteBasis(result.u, nonzero);
  return result;
}

// (a) -> (eigenvectors, eigenvalues in increasing order, info, ...)
template <typename S>
absl::Status SolveHermitian(const LapackCall& call, bool lower) {
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    Matrix<S> a = lower ? call.Load<S>(0, b) : call.Load<S>(0, b).Adjoint();
    for (int64_t i = 0; i < a.rows(); ++i) {
      a(i, i) = std::real(a(i, i));
      for (int64_t j = i + 1; j < a.columns(); ++j) a(i, j) = Conjugate(a(j, i));
    }
    Matrix<S> vectors = Matrix<S>::Identity(call.pool(), a.rows(), a.rows());
    if (!IsFinite(a) || !Diagonalize(a, vectors)) call.StoreInfo(2, b, 1);
    const ScratchVector<int64_t> order =
        SortedPlaces(call.pool(), a.rows(),
                     [&](int64_t i, int64_t j) { return std::real(a(i, i)) < std::real(a(j, j)); });
    ScratchVector<double> values(order.size(), call.pool());
    std::ranges::transform(order, values.begin(), [&](int64_t i) { return std::real(a(i, i)); });
    call.Store(0, b, SelectColumns(vectors, order));
    call.Store(1, b, values);
  }
  return absl::OkStatus();
}

// Which results of a call take the singular vectors, and whether the right ones stand there as
// rows of v^H or as columns of v.
struct VectorResults {
  size_t u = 2;
  size_t v = 3;
  bool is_v_adjoint = true;
};

// How many vectors the results have room for.
struct VectorCounts {
  int64_t u = 0;
  int64_t v = 0;
};

absl::StatusOr<VectorCounts> CountVectors(const LapackCall& call, const VectorResults& where) {
  const Evaluation& e = call.evaluation();
  if (e.results().size() < 4 || e.result(2).dims.size() < 2 || e.result(3).dims.size() < 2) {
    return absl::InvalidArgumentError("gesdd returns a, s, u and vt");
  }
  const std::span<const int64_t> v = e.result(where.v).dims;
  const VectorCounts counts = {e.result(where.u).dims.back(),
                               v[v.size() - (where.is_v_adjoint ? 2 : 1)]};
  const std::span<const int64_t> dims = call.matrix().dims;
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  if (counts.u <= rows && counts.v <= columns) return counts;
  return absl::InvalidArgumentError(
      fmt::format("gesdd gives at most {} and {} singular vectors, not {} and {}", rows, columns,
                  counts.u, counts.v));
}

template <typename S>
absl::Status DecomposeSingular(const LapackCall& call, const VectorResults& where) {
  HLO_ASSIGN_OR_RETURN(const VectorCounts counts, CountVectors(call, where));
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    const Matrix<S> a = call.Load<S>(0, b);
    call.Store(0, b, a);
    if (!IsFinite(a)) {
      call.StoreInfo(4, b, kNotFinite);
      continue;
    }
    // The factors of the adjoint are those of the matrix exchanged.
    const bool is_tall = a.rows() >= a.columns();
    const SingularValues<S> svd = is_tall
                                      ? DecomposeTall(a, std::max(counts.u, a.columns()))
                                      : DecomposeTall(a.Adjoint(), std::max(counts.v, a.rows()));
    const Matrix<S>& v = is_tall ? svd.v : svd.u;
    call.Store(1, b, svd.values);
    call.Store(where.u, b, is_tall ? svd.u : svd.v);
    call.Store(where.v, b, where.is_v_adjoint ? v.Adjoint() : v);
  }
  return absl::OkStatus();
}

}  // namespace

template <typename S>
absl::Status Syevd(const LapackCall& call) {
  return SolveHermitian<S>(call, call.IsLower(0));
}

template <typename S>
absl::Status Eigh(const LapackCall& call) {
  return SolveHermitian<S>(call, call.flags().is_eigh_lower);
}

// (a) -> (a, singular values in decreasing order, u, v^H, info). Whether u and v are full or thin
// shows in their sizes. Where `transposed` says that the library was given the transpose of a wide
// matrix, u, which is square then, may stand behind v^H.
template <typename S>
absl::Status Gesdd(const LapackCall& call) {
  const Evaluation& e = call.evaluation();
  VectorResults where;
  if (call.Flag(LapackFlag::kTransposed, SIZE_MAX, 0) != 0 && e.results().size() > 3 &&
      e.result(2).dims.size() >= 2 && e.result(2).dims.back() == call.matrix().dims.back()) {
    std::swap(where.u, where.v);
  }
  return DecomposeSingular<S>(call, where);
}

// The same with v instead of v^H.
template <typename S>
absl::Status Gesvdj(const LapackCall& call) {
  return DecomposeSingular<S>(call, {.is_v_adjoint = false});
}

HLO_INSTANTIATE_LAPACK(Syevd)
HLO_INSTANTIATE_LAPACK(Eigh)
HLO_INSTANTIATE_LAPACK(Gesdd)
HLO_INSTANTIATE_LAPACK(Gesvdj)

}  // namespace hlo::reference
