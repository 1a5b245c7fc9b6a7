// cholesky (semantics.md 11.2) and triangular-solve (11.3): sums in f64 (or complex f64), every
// entry rounded to the element type before it is used again.
#include <complex>

#include "interp/kernel/device.h"
#include "interp/reference/cholesky_factor.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "interp/reference/triangular_system.h"
#include "interp/reference/wide_number.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// Square matrices of `size` rows, one behind the other.
int64_t MatrixCount(const ArrayRef& array) {
  const size_t rank = array.dims.size();
  return Product(array.dims.first(rank - 2));
}

template <typename T>
void Cholesky(ScratchPool& pool, const T* operand, int64_t matrix_count, int64_t size, bool lower,
              T* result) {
  const ScratchArray<WideOf<T>> matrix(pool, size * size);
  for (int64_t m = 0; m < matrix_count; ++m) {
    StoreCholeskyFactor<T>(operand, size, lower, matrix.get(), result);
    operand += size * size;
    result += size * size;
  }
}

template <typename T>
void TriangularSolve(Evaluation& e) {
  ScratchPool& pool = e.device().scratch();
  const TriangularForm form(e.op(), e.operand(1).dims);
  const ConvertedArray wide_a(pool, e.operand(0), kElementTypeOf<T>);
  const ConvertedArray wide_b(pool, e.operand(1), kElementTypeOf<T>);
  const T* a = wide_a.data<T>();
  const T* b = wide_b.data<T>();
  T* x = View<T>(e.result()).data();
  const ScratchArray<WideOf<T>> rows(pool, form.size * form.width);
  for (int64_t m = 0; m < MatrixCount(e.operand(1)); ++m) {
    SolveTriangular<T>(form, a, b, rows.get(), x);
    a += form.size * form.size;
    b += form.size * form.width;
    x += form.size * form.width;
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
