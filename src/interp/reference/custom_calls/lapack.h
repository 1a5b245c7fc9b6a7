// LAPACK routines as custom calls (semantics.md 15.5), in the two forms JAX writes: with leading
// s32 operands (sizes and flags), and as `_ffi` targets with flags in backend_config; and what
// other libraries and XLA itself have of the kind. Everything is computed in f64 or complex f64 and
// rounded at the end.
#ifndef HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_LAPACK_H_
#define HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_LAPACK_H_

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "interp/kernel/evaluation.h"
#include "interp/kernel/scratch_vector.h"

namespace hlo::reference {

inline double Conjugate(double x) { return x; }
inline std::complex<double> Conjugate(std::complex<double> x) { return std::conj(x); }

// A dense row-major matrix of double or complex<double>, in scratch memory.
template <typename S>
class Matrix {
 public:
  Matrix(ScratchPool& pool, int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), elements_(static_cast<size_t>(rows * columns), pool) {}
  static Matrix Identity(ScratchPool& pool, int64_t rows, int64_t columns) {
    Matrix identity(pool, rows, columns);
    for (int64_t i = 0; i < std::min(rows, columns); ++i) identity(i, i) = S(1);
    return identity;
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  S& operator()(int64_t i, int64_t j) { return elements_[i * columns_ + j]; }
  const S& operator()(int64_t i, int64_t j) const { return elements_[i * columns_ + j]; }
  ScratchVector<S>& elements() { return elements_; }
  const ScratchVector<S>& elements() const { return elements_; }
  ScratchPool& pool() const { return elements_.get_allocator().pool(); }

  Matrix Transpose() const {
    Matrix result(pool(), columns_, rows_);
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < columns_; ++j) result(j, i) = (*this)(i, j);
    }
    return result;
  }
  Matrix Adjoint() const {
    Matrix result = Transpose();
    for (S& x : result.elements_) x = Conjugate(x);
    return result;
  }

 private:
  int64_t rows_, columns_;
  ScratchVector<S> elements_;
};

// a = u t u^H with u unitary and t upper triangular; real forms have a 2x2 block on the diagonal
// for each pair of conjugate eigenvalues.
template <typename S>
struct SchurForm {
  Matrix<S> t, u;
};

// Nothing when `a` holds NaN or infinity, or when the iteration does not converge.
template <typename S>
std::optional<SchurForm<S>> FindSchurForm(const Matrix<S>& a);

// What a call may say in its backend_config.
enum class LapackFlag : uint8_t {
  kComputeLeft,
  kComputeRight,
  kDiag,
  kLower,
  kSide,
  kTransX,
  kTransposed,
  kUplo,
};
struct LapackFlags {
  static constexpr size_t kCount = 8;

  explicit LapackFlags(const OpView& op);

  std::array<std::optional<int64_t>, kCount> values;  // by LapackFlag
  bool is_eigh_lower = true;  // of Eigh, whose configuration is "lower,sort,max_iter,tol"
};

// One call: where its arrays are and how to answer.
class LapackCall {
 public:
  // Results start as zeros, which is also what `info` says of success. Array `matrix` is a batch of
  // matrices; the others have its batch dimensions.
  LapackCall(Evaluation& e, const LapackFlags& flags, size_t matrix);

  // The same of some matrices of the batch.
  LapackCall Of(int64_t begin, int64_t end) const {
    LapackCall some = *this;
    some.begin_ = begin;
    some.end_ = end;
    return some;
  }
  // Those that routines are to do.
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }

  const Evaluation& evaluation() const { return e_; }
  ScratchPool& pool() const { return e_.device().scratch(); }
  const LapackFlags& flags() const { return flags_; }
  // Scalars that stand first, and the operands behind them.
  size_t scalar_count() const { return first_array_; }
  size_t array_count() const { return e_.operands().size() - first_array_; }
  const ArrayRef& array(size_t k) const { return e_.operand(first_array_ + k); }
  const ArrayRef& matrix() const { return array(matrix_); }
  // A flag: what backend_config says, else the s32 operand `position`.
  int64_t Flag(LapackFlag flag, size_t position, int64_t default_value) const;
  // Whether the flag `uplo` or `lower` (or the s32 operand `position`, where 1 means it) says so.
  bool IsLower(size_t position) const;

  // Matrix b of array(k).
  template <typename S>
  Matrix<S> Load(size_t k, int64_t b) const;
  // Vector b of array(k).
  template <typename S>
  ScratchVector<S> LoadVector(size_t k, int64_t b) const;
  // Rounds `elements` into the b-th part of result i, if there is such a result.
  template <typename S>
  void Store(size_t i, int64_t b, const ScratchVector<S>& elements) const {
    StoreElements<S>(i, b, elements);
  }
  template <typename S>
  void Store(size_t i, int64_t b, const Matrix<S>& matrix) const {
    Store(i, b, matrix.elements());
  }
  void StoreInfo(size_t i, int64_t b, int32_t info) const {
    StoreElements<int32_t>(i, b, {&info, 1});
  }

 private:
  template <typename S>
  void StoreElements(size_t i, int64_t b, std::span<const S> elements) const;

  Evaluation& e_;
  const LapackFlags& flags_;
  size_t matrix_;
  size_t first_array_ = 0;
  int64_t begin_ = 0, end_ = 0;
};

// A routine, by the scalar type it computes in. It fails before the first matrix or not at all.
using LapackRoutine = absl::Status (*)(const LapackCall& call);

// kTridiagonal: three vectors stand before the matrix.
enum class LapackForm { kAny, kSquare, kTridiagonal };

// What a target means.
struct LapackTarget {
  // Which of its arrays is of matrices.
  size_t matrix() const { return form == LapackForm::kTridiagonal ? 3 : 0; }

  LapackRoutine real, complex;
  LapackForm form;
  int matrix_count;  // that a routine holds at most, as large as the largest array's
};
// Null when it is none.
const LapackTarget* FindLapackTarget(std::string_view target);

// What kernels of such calls prepare, and the bytes they take of the pool for each matrix that is
// worked on at a time.
struct PreparedLapack {
  explicit PreparedLapack(const OpView& op);

  const LapackTarget& target;
  LapackFlags flags;
};
int64_t LapackScratchByteSize(const OpView& op);

// Checks the operands and has `run` call the routine, for all matrices.
absl::Status RunLapack(
    Evaluation& e,
    absl::FunctionRef<absl::Status(LapackRoutine routine, const LapackCall& call)> run);

template <typename S>
absl::Status Potrf(const LapackCall& call);
template <typename S>
absl::Status Getrf(const LapackCall& call);
template <typename S>
absl::Status LuDecomposition(const LapackCall& call);
template <typename S>
absl::Status Gtsv(const LapackCall& call);
template <typename S>
absl::Status Gtsv2(const LapackCall& call);
template <typename S>
absl::Status Trsm(const LapackCall& call);
template <typename S>
absl::Status Geqrf(const LapackCall& call);
template <typename S>
absl::Status Geqp3(const LapackCall& call);
template <typename S>
absl::Status Orgqr(const LapackCall& call);
template <typename S>
absl::Status Gehrd(const LapackCall& call);
template <typename S>
absl::Status Sytrd(const LapackCall& call);
template <typename S>
absl::Status Syevd(const LapackCall& call);
template <typename S>
absl::Status Eigh(const LapackCall& call);
template <typename S>
absl::Status Gesdd(const LapackCall& call);
template <typename S>
absl::Status Gesvdj(const LapackCall& call);
template <typename S>
absl::Status Gees(const LapackCall& call);
template <typename S>
absl::Status Geev(const LapackCall& call);

#define HLO_INSTANTIATE_LAPACK(Routine)                     \
  template absl::Status Routine<double>(const LapackCall&); \
  template absl::Status Routine<std::complex<double>>(const LapackCall&);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_LAPACK_H_
