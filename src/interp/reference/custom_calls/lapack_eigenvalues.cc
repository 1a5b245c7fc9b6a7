// gees and geev: the Schur form A = U T U^H of a general matrix; its eigenvalues, which stand on
// the diagonal of T, and its eigenvectors, found by substitution in T.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "interp/reference/custom_calls/lapack.h"

namespace hlo::reference {
namespace {

using Complex = std::complex<double>;
using ComplexMatrix = Matrix<Complex>;

using ComplexForm = SchurForm<Complex>;

ComplexForm AsComplex(const ComplexForm& form) { return form; }
ComplexForm AsComplex(const SchurForm<double>& real) {
  const int64_t n = real.t.rows();
  ScratchPool& pool = real.t.pool();
  ComplexForm form = {ComplexMatrix(pool, n, n), ComplexMatrix(pool, n, n)};
  std::ranges::copy(real.t.elements(), form.t.elements().begin());
  std::ranges::copy(real.u.elements(), form.u.elements().begin());
  return form;
}

// The eigenvalues of a real form; of a conjugate pair the one above the real axis comes first.
ScratchVector<Complex> Eigenvalues(const Matrix<double>& t) {
  ScratchVector<Complex> values(t.pool());
  values.reserve(static_cast<size_t>(t.rows()));
  for (int64_t i = 0; i < t.rows(); ++i) {
    if (i + 1 == t.rows() || t(i + 1, i) == 0) {
      values.push_back(t(i, i));
      continue;
    }
    const double half_difference = 0.5 * (t(i, i) - t(i + 1, i + 1));
    const double square = half_difference * half_difference + t(i, i + 1) * t(i + 1, i);
    const Complex root = std::sqrt(Complex(square));
    values.push_back(t(i + 1, i + 1) + half_difference + root);
    values.push_back(t(i + 1, i + 1) + half_difference - root);
    ++i;
  }
  return values;
}

ScratchVector<Complex> Eigenvalues(const ComplexMatrix& t) {
  ScratchVector<Complex> values(static_cast<size_t>(t.rows()), t.pool());
  for (int64_t i = 0; i < t.rows(); ++i) values[i] = t(i, i);
  return values;
}

// Real matrices have results for real and imaginary parts, `first` and the one behind.
template <typename S>
void StoreEigenvalues(const LapackCall& call, size_t first, int64_t b,
                      const ScratchVector<Complex>& values) {
  if constexpr (std::is_same_v<S, Complex>) {
    call.Store(first, b, values);
  } else {
    ScratchVector<double> real(values.size(), call.pool()), imaginary = real;
    for (size_t i = 0; i < values.size(); ++i) {
      real[i] = values[i].real();
      imaginary[i] = values[i].imag();
    }
    call.Store(first, b, real);
    call.Store(first + 1, b, imaginary);
  }
}

// The eigenvalue with the positive imaginary part of the 2x2 block that ends in row m.
Complex BlockEigenvalue(const ComplexMatrix& t, int64_t m) {
  const Complex half_difference = 0.5 * (t(m - 1, m - 1) - t(m, m));
  const Complex root = std::sqrt(half_difference * half_difference + t(m - 1, m) * t(m, m - 1));
  return t(m, m) + half_difference + (root.imag() < 0 ? -root : root);
}

// Makes the blocks of a real form triangles, by one rotation each.
void MakeTriangular(ComplexForm& form) {
  ComplexMatrix& t = form.t;
  for (int64_t m = t.rows() - 1; m > 0; --m) {
    if (t(m, m - 1) == Complex(0)) continue;
    const Complex shift = BlockEigenvalue(t, m) - t(m, m);
    const double norm = std::hypot(std::abs(shift), std::abs(t(m, m - 1)));
    const Complex c = shift / norm;
    const Complex s = t(m, m - 1) / norm;
    for (int64_t j = m - 1; j < t.columns(); ++j) {
      const Complex x = t(m - 1, j), y = t(m, j);
      t(m - 1, j) = std::conj(c) * x + s * y;
      t(m, j) = -s * x + c * y;
    }
    const auto rotate_columns = [&](ComplexMatrix& a, int64_t row_count) {
      for (int64_t i = 0; i < row_count; ++i) {
        const Complex x = a(i, m - 1), y = a(i, m);
        a(i, m - 1) = c * x + std::conj(s) * y;
        a(i, m) = -std::conj(s) * x + std::conj(c) * y;
      }
    };
    rotate_columns(t, m + 1);
    rotate_columns(form.u, form.u.rows());
    t(m, m - 1) = 0;
  }
}

// x / (a - b), the divisor kept away from zero: repeated eigenvalues have nearly parallel vectors.
Complex DivideByGap(Complex x, Complex a, Complex b, double smallest_gap) {
  const Complex gap = a - b;
  return x / (std::abs(gap) < smallest_gap ? Complex(smallest_gap) : gap);
}

// x with T x = t(k,k) x: zero below k, 1 at k.
ScratchVector<Complex> RightVector(const ComplexMatrix& t, int64_t k, double smallest_gap) {
  ScratchVector<Complex> x(static_cast<size_t>(t.rows()), t.pool());
  x[k] = 1;
  for (int64_t i = k - 1; i >= 0; --i) {
    Complex sum = 0;
    for (int64_t j = i + 1; j <= k; ++j) sum += t(i, j) * x[j];
    x[i] = DivideByGap(-sum, t(i, i), t(k, k), smallest_gap);
  }
  return x;
}

// y with y^H T = t(k,k) y^H: zero above k, 1 at k.
ScratchVector<Complex> LeftVector(const ComplexMatrix& t, int64_t k, double smallest_gap) {
  ScratchVector<Complex> y(static_cast<size_t>(t.rows()), t.pool());
  y[k] = 1;
  for (int64_t i = k + 1; i < t.rows(); ++i) {
    Complex sum = 0;
    for (int64_t j = k; j < i; ++j) sum += std::conj(t(j, i)) * y[j];
    y[i] = DivideByGap(-sum, std::conj(t(i, i)), std::conj(t(k, k)), smallest_gap);
  }
  return y;
}

// Column k of `vectors` becomes U x, of length 1 and with its largest component positive real.
void StoreVector(const ComplexMatrix& u, const ScratchVector<Complex>& x, int64_t k, bool is_real,
                 ComplexMatrix& vectors) {
  ScratchVector<Complex> v(x.size(), u.pool());
  double norm = 0;
  Complex largest = 0;
  for (int64_t i = 0; i < u.rows(); ++i) {
    for (int64_t j = 0; j < u.columns(); ++j) v[i] += u(i, j) * x[j];
    norm += std::norm(v[i]);
    if (std::abs(v[i]) > std::abs(largest)) largest = v[i];
  }
  const Complex phase = std::conj(largest) / std::abs(largest) / std::sqrt(norm);
  for (int64_t i = 0; i < u.rows(); ++i) {
    v[i] *= phase;
    vectors(i, k) = is_real ? v[i].real() : v[i];
  }
}

double NormOf(const ComplexMatrix& t) {
  double norm = 0;
  for (const Complex& x : t.elements()) norm = std::max(norm, std::abs(x));
  return norm;
}

// Left and right eigenvectors as columns. Those of real eigenvalues of real matrices are real.
template <typename S>
void FindEigenvectors(ComplexForm form, const ScratchVector<Complex>& values, ComplexMatrix& left,
                      ComplexMatrix& right) {
  MakeTriangular(form);
  const double smallest_gap = std::max(NormOf(form.t), std::numeric_limits<double>::min()) *
                              std::numeric_limits<double>::epsilon();
  for (int64_t k = 0; k < form.t.rows(); ++k) {
    const bool is_real = std::is_same_v<S, double> && values[k].imag() == 0;
    StoreVector(form.u, LeftVector(form.t, k, smallest_gap), k, is_real, left);
    StoreVector(form.u, RightVector(form.t, k, smallest_gap), k, is_real, right);
  }
}

}  // namespace

// (a) -> (schur form, schur vectors, eigenvalues, selected, info); the older interface has the
// vectors in place 3, behind eigenvalues and workspace.
template <typename S>
absl::Status Gees(const LapackCall& call) {
  const std::span<const MutableArrayRef> results = call.evaluation().results();
  const size_t rank = call.array(0).dims.size();
  const bool is_older = results.size() > 3 && results[1].dims.size() != rank;
  const size_t vectors = is_older ? 3 : 1;
  size_t values = 2;
  if (is_older && std::is_same_v<S, double>) values = 1;
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    const std::optional<SchurForm<S>> form = FindSchurForm(call.Load<S>(0, b));
    if (!form) {
      call.StoreInfo(results.size() - 1, b, 1);
      continue;
    }
    call.Store(0, b, form->t);
    call.Store(vectors, b, form->u);
    StoreEigenvalues<S>(call, values, b, Eigenvalues(form->t));
  }
  return absl::OkStatus();
}

// (a) -> (workspaces in the older interface, eigenvalues, left eigenvectors, right ones, info)
template <typename S>
absl::Status Geev(const LapackCall& call) {
  const size_t value_count = std::is_same_v<S, double> ? 2 : 1;
  const size_t result_count = call.evaluation().results().size();
  if (result_count < value_count + 3) {
    return absl::InvalidArgumentError("geev returns eigenvalues, two matrices and a status");
  }
  const size_t info = result_count - 1, right_place = info - 1, left_place = info - 2;
  const size_t scalars = call.scalar_count();
  const bool wants_left = call.Flag(LapackFlag::kComputeLeft, scalars - 2, 'V') == 'V';
  const bool wants_right = call.Flag(LapackFlag::kComputeRight, scalars - 1, 'V') == 'V';
  for (int64_t b = call.begin(); b < call.end(); ++b) {
    const std::optional<SchurForm<S>> form = FindSchurForm(call.Load<S>(0, b));
    if (!form) {
      call.StoreInfo(info, b, 1);
      continue;
    }
    const ScratchVector<Complex> values = Eigenvalues(form->t);
    StoreEigenvalues<S>(call, left_place - value_count, b, values);
    if (!wants_left && !wants_right) continue;
    ComplexMatrix left(call.pool(), form->t.rows(), form->t.rows()), right = left;
    FindEigenvectors<S>(AsComplex(*form), values, left, right);
    if (wants_left) call.Store(left_place, b, left);
    if (wants_right) call.Store(right_place, b, right);
  }
  return absl::OkStatus();
}

HLO_INSTANTIATE_LAPACK(Gees)
HLO_INSTANTIATE_LAPACK(Geev)

}  // namespace hlo::reference
