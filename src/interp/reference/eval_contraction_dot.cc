// dot (semantics.md 10.1). Operands are converted to the result's type, packed as [batch, rows,
// sum] and [batch, sum, columns] and summed in the carrier; the wider of the two sides becomes the
// columns.
#include <algorithm>
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
  if constexpr (std::is_same_v<T, C>) {
    if (!transposed) {
      for (int64_t b = 0; b < batch_count; ++b) {
        MultiplyInOrder<C>(row_count, sum_count, column_count, rows, columns, result);
        rows += row_count * sum_count;
        columns += sum_count * column_count;
        result += row_count * column_count;
      }
      return;
    }
  }
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

// The counts of a dot, and which side becomes the rows.
struct DotCounts {
  DotCounts(const DotSides& sides, std::span<const int64_t> lhs_dims,
            std::span<const int64_t> rhs_dims)
      : batch(CountOf(lhs_dims, sides.lhs.batch)), sum(CountOf(lhs_dims, sides.lhs.contracting)) {
    const int64_t lhs = CountOf(lhs_dims, sides.lhs.free);
    const int64_t rhs = CountOf(rhs_dims, sides.rhs.free);
    transposed = lhs > rhs && rhs < 16;
    rows = transposed ? rhs : lhs;
    columns = transposed ? lhs : rhs;
  }

  int64_t batch, sum, rows, columns;
  bool transposed;  // the rhs gives the rows
};

template <typename T>
void Dot(const DotSides& sides, const ConvertedArray& lhs, const ConvertedArray& rhs, T* result) {
  using C = CarrierOf<T>;
  const DotCounts counts(sides, lhs.ref().dims, rhs.ref().dims);
  const DotSide& row_side = counts.transposed ? sides.rhs : sides.lhs;
  const DotSide& column_side = counts.transposed ? sides.lhs : sides.rhs;
  const ConvertedArray& row_array = counts.transposed ? rhs : lhs;
  const ConvertedArray& column_array = counts.transposed ? lhs : rhs;
  const auto rows =
      Packed<C>::Make(row_array.data<T>(), row_array.ref().dims, AsSpan(row_side.RowOrder()));
  const auto columns = Packed<C>::Make(column_array.data<T>(), column_array.ref().dims,
                                       AsSpan(column_side.ColumnOrder()));
  MultiplyBatches<T>(counts.batch, counts.rows, counts.sum, counts.columns, rows.data(),
                     columns.data(), counts.transposed, result);
}

// Copies for packing, and the product of one batch entry where it is not made in the result.
template <typename T>
double PackingByteSize(const DotSides& sides, std::span<const int64_t> lhs,
                       std::span<const int64_t> rhs) {
  using C = CarrierOf<T>;
  const DotCounts counts(sides, lhs, rhs);
  const DotSide& row_side = counts.transposed ? sides.rhs : sides.lhs;
  const DotSide& column_side = counts.transposed ? sides.lhs : sides.rhs;
  const bool is_direct = std::is_same_v<T, C> && !counts.transposed;
  const double product = is_direct ? 0
                                   : static_cast<double>(counts.rows) *
                                         static_cast<double>(counts.columns) * sizeof(C);
  return Packed<C>::template ByteSize<T>(counts.transposed ? rhs : lhs,
                                         AsSpan(row_side.RowOrder())) +
         Packed<C>::template ByteSize<T>(counts.transposed ? lhs : rhs,
                                         AsSpan(column_side.ColumnOrder())) +
         product;
}

// What is static on one side is read on the range of the other side (semantics.md 13).
absl::Status FitSizes(const Evaluation& e, const Index& lhs, const Index& rhs, Index& lhs_dims,
                      Index& rhs_dims) {
  for (size_t i = 0; i < lhs.size(); ++i) {
    int64_t& left = lhs_dims[lhs[i]];
    int64_t& right = rhs_dims[rhs[i]];
    if (left == right) continue;
    const size_t larger = left > right ? 0 : 1;
    const int64_t dimension = larger == 0 ? lhs[i] : rhs[i];
    const Shape& shape = e.op().operand_shape(static_cast<int64_t>(larger));
    if (shape.is_dynamic(dimension) || shape.dim(dimension) != std::max(left, right)) {
      return absl::InvalidArgumentError("the operands' sizes disagree at run time");
    }
    left = right = std::min(left, right);
  }
  return absl::OkStatus();
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

double DotScratch(const OpView& op) {
  const Shape& lhs = op.operand_shape(0);
  const Shape& rhs = op.operand_shape(1);
  const ElementType type = op.written_shape()->element_type();
  const double packing = DispatchElementType<kAnyArray>(
      type, [&]<typename T>() { return PackingByteSize<T>(DotSides(op), lhs.dims(), rhs.dims()); });
  return ConvertedByteSize(lhs, type) + ConvertedByteSize(rhs, type) + packing;
}

absl::Status EvalDot(Evaluation& e) {
  const DotSides sides(e.op());
  Index lhs_dims(e.operand(0).dims.begin(), e.operand(0).dims.end());
  Index rhs_dims(e.operand(1).dims.begin(), e.operand(1).dims.end());
  HLO_RETURN_IF_ERROR(FitSizes(e, sides.lhs.batch, sides.rhs.batch, lhs_dims, rhs_dims));
  HLO_RETURN_IF_ERROR(
      FitSizes(e, sides.lhs.contracting, sides.rhs.contracting, lhs_dims, rhs_dims));
  HLO_RETURN_IF_ERROR(
      EnsureResultDims(e, 0, AsSpan(sides.ResultDims(AsSpan(lhs_dims), AsSpan(rhs_dims)))));
  const FittedArray lhs(e.operand(0), AsSpan(lhs_dims));
  const FittedArray rhs(e.operand(1), AsSpan(rhs_dims));
  DotInto(sides, lhs.ref(), rhs.ref(), e.result());
  return absl::OkStatus();
}

}  // namespace hlo::reference
