// The Schur form of a matrix, by Eigen's QR iterations, whose matrices are memory of its own.
#include <Eigen/Eigenvalues>

#include "interp/reference/custom_calls/lapack.h"

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
Matrix<S> FromEigen(ScratchPool& pool, const EigenMatrix<S>& matrix) {
  Matrix<S> result(pool, matrix.rows(), matrix.cols());
  for (int64_t i = 0; i < result.rows(); ++i) {
    for (int64_t j = 0; j < result.columns(); ++j) result(i, j) = matrix(i, j);
  }
  return result;
}

auto SchurOf(const EigenMatrix<double>& a) { return Eigen::RealSchur<EigenMatrix<double>>(a); }
auto SchurOf(const EigenMatrix<Complex>& a) { return Eigen::ComplexSchur<EigenMatrix<Complex>>(a); }

}  // namespace

template <typename S>
std::optional<SchurForm<S>> FindSchurForm(const Matrix<S>& matrix) {
  const EigenMatrix<S> a = ToEigen(matrix);
  if (!a.allFinite()) return std::nullopt;
  const auto schur = SchurOf(a);
  if (schur.info() != Eigen::Success) return std::nullopt;
  return SchurForm<S>{FromEigen<S>(matrix.pool(), schur.matrixT()),
                      FromEigen<S>(matrix.pool(), schur.matrixU())};
}

template std::optional<SchurForm<double>> FindSchurForm(const Matrix<double>&);
template std::optional<SchurForm<Complex>> FindSchurForm(const Matrix<Complex>&);

}  // namespace hlo::reference
