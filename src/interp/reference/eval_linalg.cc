// cholesky (semantics.md 11.2) and triangular-solve (11.3): sums in f64 (or complex f64), every
// entry rounded to the element type before it is used again.
#include <cmath>
#include <complex>
#include <limits>

#include "interp/kernel/device.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

template <typename T>
using WideOf = std::conditional_t<kTypeClassOf<T> == kComplex, std::complex<double>, double>;

template <typename T>
WideOf<T> Widen(T x) {
  if constexpr (kTypeClassOf<T> == kFloat && sizeof(T) < 4) {
    return static_cast<double>(static_cast<float>(x));
  } else {
    return static_cast<WideOf<T>>(x);
  }
}
template <typename T>
WideOf<T> Round(WideOf<T> x) {
  return Widen(static_cast<T>(x));
}

double Conjugate(double x) { return x; }
std::complex<double> Conjugate(std::complex<double> x) { return std::conj(x); }
double RealPart(double x) { return x; }
double RealPart(std::complex<double> x) { return x.real(); }

// Square matrices of `size` rows, one behind the other.
int64_t MatrixCount(const ArrayRef& array) {
  const size_t rank = array.dims.size();
  return Product(array.dims.first(rank - 2));
}

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

template <typename T>
void Cholesky(ScratchPool& pool, const T* operand, int64_t matrix_count, int64_t size, bool lower,
              T* result) {
  const ScratchArray<WideOf<T>> matrix(pool, size * size);
  for (int64_t m = 0; m < matrix_count; ++m) {
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        matrix[i * size + j] =
            lower ? Widen(operand[i * size + j]) : Conjugate(Widen(operand[j * size + i]));
      }
    }
    if (Factorize<T>(size, matrix.get())) {
      std::fill_n(result, size * size, static_cast<T>(0.0f));
      for (int64_t i = 0; i < size; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          const WideOf<T> x = matrix[i * size + j];
          result[lower ? i * size + j : j * size + i] = static_cast<T>(lower ? x : Conjugate(x));
        }
      }
    } else {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      std::fill_n(result, size * size, static_cast<T>(WideOf<T>(nan)));
    }
    operand += size * size;
    result += size * size;
  }
}

// One solve in the form L X = B: `coefficient(i, j)` is an entry of the effective triangle, which
// is lower where `forward`; row i of X has `width` entries at rows[i * width].
template <typename T, typename Coefficient>
void Substitute(int64_t size, int64_t width, bool forward, bool unit_diagonal,
                Coefficient&& coefficient, WideOf<T>* rows) {
  for (int64_t step = 0; step < size; ++step) {
    const int64_t i = forward ? step : size - 1 - step;
    WideOf<T>* row = rows + i * width;
    for (int64_t other = 0; other < step; ++other) {
      const int64_t k = forward ? other : size - 1 - other;
      const WideOf<T> factor = coefficient(i, k);
      const WideOf<T>* solved = rows + k * width;
      for (int64_t c = 0; c < width; ++c) row[c] -= factor * solved[c];
    }
    const WideOf<T> diagonal = unit_diagonal ? WideOf<T>(1) : coefficient(i, i);
    for (int64_t c = 0; c < width; ++c) {
      row[c] = Round<T>(unit_diagonal ? row[c] : row[c] / diagonal);
    }
  }
}

// X op(A) = B is op(A)^T X^T = B^T, so that with `left_side` false everything is transposed.
template <typename T>
void TriangularSolve(Evaluation& e) {
  ScratchPool& pool = e.device().scratch();
  const bool left_side = e.Get<Attr::kLeftSide>();
  const bool lower = e.Get<Attr::kLower>();
  const TriangularTranspose transpose = e.Get<Attr::kTransposeA>();
  const bool is_adjoint = transpose == TriangularTranspose::kAdjoint;
  const bool is_transposed =
      (is_adjoint || transpose == TriangularTranspose::kTranspose) == left_side;
  const std::span<const int64_t> dims = e.operand(1).dims;
  const int64_t row_count = dims[dims.size() - 2];
  const int64_t column_count = dims[dims.size() - 1];
  const int64_t size = left_side ? row_count : column_count;
  const int64_t width = left_side ? column_count : row_count;
  const ConvertedArray wide_a(pool, e.operand(0), kElementTypeOf<T>);
  const ConvertedArray wide_b(pool, e.operand(1), kElementTypeOf<T>);
  const T* a = wide_a.data<T>();
  const T* b = wide_b.data<T>();
  T* x = View<T>(e.result()).data();
  const ScratchArray<WideOf<T>> rows(pool, size * width);
  const auto coefficient = [&](int64_t i, int64_t j) {
    const WideOf<T> entry = Widen(is_transposed ? a[j * size + i] : a[i * size + j]);
    return is_adjoint ? Conjugate(entry) : entry;
  };
  for (int64_t m = 0; m < MatrixCount(e.operand(1)); ++m) {
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t c = 0; c < width; ++c) {
        rows[i * width + c] = Widen(left_side ? b[i * width + c] : b[c * size + i]);
      }
    }
    Substitute<T>(size, width, lower != is_transposed, e.Get<Attr::kUnitDiagonal>(), coefficient,
                  rows.get());
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t c = 0; c < width; ++c) {
        x[left_side ? i * width + c : c * size + i] = static_cast<T>(rows[i * width + c]);
      }
    }
    a += size * size;
    b += size * width;
    x += size * width;
  }
}

// One matrix of the last two dimensions of `shape` in double precision.
double WideMatrixByteSize(const Shape& shape) {
  const double element = IsComplex(shape.element_type()) ? sizeof(WideOf<C64>) : sizeof(double);
  return SizeProduct(shape.dims().last(2)) * element;
}

}  // namespace

double CholeskyScratch(const OpView& op) {
  return ConvertedByteSize(op.operand_shape(0), op.written_shape()->element_type()) +
         WideMatrixByteSize(*op.written_shape());
}

double TriangularSolveScratch(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  return ConvertedByteSize(op.operand_shape(0), type) +
         ConvertedByteSize(op.operand_shape(1), type) + WideMatrixByteSize(*op.written_shape());
}

absl::Status EvalCholesky(Evaluation& e) {
  const ArrayRef& operand = e.operand(0);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, operand.dims));
  DispatchElementType<kFloat | kComplex>(e.result().element_type, [&]<typename T>() {
    ScratchPool& pool = e.device().scratch();
    Cholesky<T>(pool, ConvertedArray(pool, operand, kElementTypeOf<T>).data<T>(),
                MatrixCount(operand), operand.dims.back(), e.Get<Attr::kLower>(),
                View<T>(e.result()).data());
  });
  return absl::OkStatus();
}

absl::Status EvalTriangularSolve(Evaluation& e) {
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, e.operand(1).dims));
  DispatchElementType<kFloat | kComplex>(e.result().element_type,
                                         [&]<typename T>() { TriangularSolve<T>(e); });
  return absl::OkStatus();
}

}  // namespace hlo::reference
