// gees: the Schur form, by Eigen's QR iterations.
#include <Eigen/Eigenvalues>

#include "interp/reference/lapack.h"

namespace hlo::reference {
namespace {

using Complex = std::complex<double>;
template <typename S>
using EigenMatrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

template <typename S>
EigenMatrix<S> ToEigen(const Matrix<S>& matrix) {
  EigenMatrix<S> result(matrix.rows(), matrix.columns());
  for (int64_t i = 0; i < matrix.rows(); ++i) {
    for (int64_t j = 0; j < matrix.columns(); ++j) result(i, j) = matrix(i, j);
  }
  return result;
}

template <typename S>
Matrix<S> FromEigen(const EigenMatrix<S>& matrix) {
  Matrix<S> result(matrix.rows(), matrix.cols());
  for (int64_t i = 0; i < result.rows(); ++i) {
    for (int64_t j = 0; j < result.columns(); ++j) result(i, j) = matrix(i, j);
  }
  return result;
}

auto SchurOf(const EigenMatrix<double>& a) { return Eigen::RealSchur<EigenMatrix<double>>(a); }
auto SchurOf(const EigenMatrix<Complex>& a) { return Eigen::ComplexSchur<EigenMatrix<Complex>>(a); }

void StoreEigenvalues(const LapackCall& call, int64_t b, const Matrix<Complex>& t) {
  std::vector<Complex> values;
  for (int64_t i = 0; i < t.rows(); ++i) values.push_back(t(i, i));
  call.Store(2, b, values);
}

// 2x2 blocks on the diagonal of a real form are conjugate pairs. Results 2 and 3 take real and
// imaginary parts.
void StoreEigenvalues(const LapackCall& call, int64_t b, const Matrix<double>& t) {
  std::vector<double> real(static_cast<size_t>(t.rows())), imag(real.size());
  for (int64_t i = 0; i < t.rows(); ++i) {
    real[i] = t(i, i);
    if (i + 1 == t.rows() || t(i + 1, i) == 0) continue;
    const double half_difference = 0.5 * (t(i, i) - t(i + 1, i + 1));
    const double square = half_difference * half_difference + t(i, i + 1) * t(i + 1, i);
    const Complex root = std::sqrt(Complex(square));
    real[i] = real[i + 1] = t(i + 1, i + 1) + half_difference;
    imag[i] = root.imag();
    imag[i + 1] = -root.imag();
    ++i;
  }
  call.Store(2, b, real);
  call.Store(3, b, imag);
}

}  // namespace

// (a) -> (schur form, schur vectors, eigenvalues, selected, info)
template <typename S>
absl::Status Gees(const LapackCall& call) {
  const size_t info = call.evaluation().results().size() - 1;
  for (int64_t b = 0; b < call.batch_count(); ++b) {
    const EigenMatrix<S> a = ToEigen(call.Load<S>(0, b));
    if (!a.allFinite()) {
      call.StoreInfo(info, b, 1);
      continue;
    }
    const auto schur = SchurOf(a);
    const Matrix<S> t = FromEigen<S>(schur.matrixT());
    call.Store(0, b, t);
    call.Store(1, b, FromEigen<S>(schur.matrixU()));
    StoreEigenvalues(call, b, t);
    if (schur.info() != Eigen::Success) call.StoreInfo(info, b, 1);
  }
  return absl::OkStatus();
}

HLO_INSTANTIATE_LAPACK(Gees)

}  // namespace hlo::reference
