// dot (semantics.md 10.1). Operands are converted to the result's type, packed as [batch, rows,
// sum] and [batch, sum, columns] and summed in the carrier; the wider of the two sides becomes the
// columns.
#include <vector>

#include "interp/reference/contraction.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/eval.h"
#include "interp/reference/forward.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// result[b, m, n] from rows [b, m, k] and columns [b, k, n]; with `transposed` the rows are the
// rhs, and result[b, n, m] is computed and turned.
template <typename T>
void MultiplyBatches(int64_t batch_count, int64_t row_count, int64_t sum_count,
                     int64_t column_count, const CarrierOf<T>* rows, const CarrierOf<T>* columns,
                     bool transposed, T* result) {
  using C = CarrierOf<T>;
  std::vector<C> product(static_cast<size_t>(row_count * column_count));
  const int64_t row_stride = transposed ? 1 : column_count;
  const int64_t column_stride = transposed ? row_count : 1;
  for (int64_t b = 0; b < batch_count; ++b) {
    MultiplyInOrder<C>(row_count, sum_count, column_count, rows, columns, product.data());
    const C* next = product.data();
    for (int64_t r = 0; r < row_count; ++r) {
      for (int64_t c = 0; c < column_count; ++c) {
        result[r * row_stride + c * column_stride] = static_cast<T>(*next++);
      }
    }
    rows += row_count * sum_count;
    columns += sum_count * column_count;
    result += row_count * column_count;
  }
}

template <typename T>
void Dot(const DotSides& sides, const ConvertedArray& lhs, const ConvertedArray& rhs, T* result) {
  using C = CarrierOf<T>;
  const int64_t batch_count = CountOf(lhs.ref(), sides.lhs.batch);
  const int64_t sum_count = CountOf(lhs.ref(), sides.lhs.contracting);
  const int64_t lhs_count = CountOf(lhs.ref(), sides.lhs.free);
  const int64_t rhs_count = CountOf(rhs.ref(), sides.rhs.free);
  const bool transposed = lhs_count > rhs_count && rhs_count < 16;
  const DotSide& row_side = transposed ? sides.rhs : sides.lhs;
  const DotSide& column_side = transposed ? sides.lhs : sides.rhs;
  const ConvertedArray& row_array = transposed ? rhs : lhs;
  const ConvertedArray& column_array = transposed ? lhs : rhs;
  const auto rows =
      Packed<C>::Make(row_array.data<T>(), row_array.ref().dims, AsSpan(row_side.RowOrder()));
  const auto columns = Packed<C>::Make(column_array.data<T>(), column_array.ref().dims,
                                       AsSpan(column_side.ColumnOrder()));
  MultiplyBatches<T>(batch_count, transposed ? rhs_count : lhs_count, sum_count,
                     transposed ? lhs_count : rhs_count, rows.data(), columns.data(), transposed,
                     result);
}

}  // namespace

void DotInto(const DotSides& sides, const ArrayRef& lhs, const ArrayRef& rhs,
             const MutableArrayRef& result) {
  const ConvertedArray typed_lhs(lhs, result.element_type);
  const ConvertedArray typed_rhs(rhs, result.element_type);
  DispatchElementType<kAnyArray>(result.element_type, [&]<typename T>() {
    Dot<T>(sides, typed_lhs, typed_rhs, View<T>(result).data());
  });
}

absl::Status EvalDot(Evaluation& e) {
  const DotSides sides(e);
  HLO_RETURN_IF_ERROR(sides.CheckSizes(e));
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(sides.ResultDims(e))));
  DotInto(sides, e.operand(0), e.operand(1), e.result());
  return absl::OkStatus();
}

}  // namespace hlo::reference
