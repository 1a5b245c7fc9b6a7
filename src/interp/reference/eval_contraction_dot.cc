// dot (semantics.md 10.1). Operands are converted to the result's type, packed as [batch, rows,
// sum] and [batch, sum, columns] and summed in the carrier.
#include <algorithm>
#include <optional>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/eval.h"
#include "interp/reference/set_result.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// result[b, m, n] from rows [b, m, k] and columns [b, k, n]; where the rows are the rhs,
// result[b, n, m] is computed and turned.
template <typename T>
void MultiplyBatches(ScratchPool& pool, const DotPlan& plan, const CarrierOf<T>* rows,
                     const CarrierOf<T>* columns, T* result) {
  using C = CarrierOf<T>;
  const int64_t row_count = plan.row_count, column_count = plan.column_count;
  if constexpr (std::is_same_v<T, C>) {
    if (!plan.is_transposed) {
      for (int64_t b = 0; b < plan.batch_count; ++b) {
        MultiplyInOrder<C>(row_count, plan.sum_count, column_count, rows, columns, result);
        rows += row_count * plan.sum_count;
        columns += plan.sum_count * column_count;
        result += row_count * column_count;
      }
      return;
    }
  }
  const ScratchArray<C> product(pool, row_count * column_count);
  const int64_t row_stride = plan.is_transposed ? 1 : column_count;
  const int64_t column_stride = plan.is_transposed ? row_count : 1;
  for (int64_t b = 0; b < plan.batch_count; ++b) {
    MultiplyInOrder<C>(row_count, plan.sum_count, column_count, rows, columns, product.get());
    const C* next = product.get();
    for (int64_t r = 0; r < row_count; ++r) {
      for (int64_t c = 0; c < column_count; ++c) {
        result[r * row_stride + c * column_stride] = static_cast<T>(*next++);
      }
    }
    rows += row_count * plan.sum_count;
    columns += plan.sum_count * column_count;
    result += row_count * column_count;
  }
}

// Copies for packing, and the product of one batch entry where it is not made in the result.
template <typename T>
double PackingByteSize(const DotPlan& plan) {
  using C = CarrierOf<T>;
  const double packed =
      Packed<C>::template ByteSize<T>(plan.rows) + Packed<C>::template ByteSize<T>(plan.columns);
  if (std::is_same_v<T, C> && !plan.is_transposed) return packed;
  return packed +
         static_cast<double>(plan.row_count) * static_cast<double>(plan.column_count) * sizeof(C);
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

// A dot with the sizes at which its operands are read.
struct FittedDot {
  explicit FittedDot(const Evaluation& e)
      : lhs_dims(e.operand(0).dims.begin(), e.operand(0).dims.end()),
        rhs_dims(e.operand(1).dims.begin(), e.operand(1).dims.end()) {
    const DotSides sides(e.op());
    sizes_fit = FitSizes(e, sides.lhs.batch, sides.rhs.batch, lhs_dims, rhs_dims);
    sizes_fit.Update(FitSizes(e, sides.lhs.contracting, sides.rhs.contracting, lhs_dims, rhs_dims));
    result_dims = sides.ResultDims(AsSpan(lhs_dims), AsSpan(rhs_dims));
    plan.emplace(sides, AsSpan(lhs_dims), AsSpan(rhs_dims));
  }

  absl::Status sizes_fit;
  Index lhs_dims, rhs_dims, result_dims;
  std::optional<DotPlan> plan;
};

}  // namespace

DotPlan::DotPlan(const DotSides& sides, std::span<const int64_t> lhs, std::span<const int64_t> rhs)
    : batch_count(CountOf(lhs, sides.lhs.batch)),
      row_count(CountOf(lhs, sides.lhs.free)),
      sum_count(CountOf(lhs, sides.lhs.contracting)),
      column_count(CountOf(rhs, sides.rhs.free)),
      is_transposed(row_count > column_count && column_count < 16),
      rows(is_transposed ? Packing(rhs, AsSpan(sides.rhs.RowOrder()))
                         : Packing(lhs, AsSpan(sides.lhs.RowOrder()))),
      columns(is_transposed ? Packing(lhs, AsSpan(sides.lhs.ColumnOrder()))
                            : Packing(rhs, AsSpan(sides.rhs.ColumnOrder()))) {
  if (is_transposed) std::swap(row_count, column_count);
}

void DotInto(ScratchPool& pool, const DotPlan& plan, const ArrayRef& lhs, const ArrayRef& rhs,
             const MutableArrayRef& result) {
  const ConvertedArray typed_lhs(pool, lhs, result.element_type);
  const ConvertedArray typed_rhs(pool, rhs, result.element_type);
  const ConvertedArray& row_array = plan.is_transposed ? typed_rhs : typed_lhs;
  const ConvertedArray& column_array = plan.is_transposed ? typed_lhs : typed_rhs;
  DispatchElementType<kAnyArray>(result.element_type, [&]<typename T>() {
    const Packed<CarrierOf<T>> rows(pool, plan.rows, row_array.data<T>());
    const Packed<CarrierOf<T>> columns(pool, plan.columns, column_array.data<T>());
    MultiplyBatches<T>(pool, plan, rows.data(), columns.data(), View<T>(result).data());
  });
}

double DotIntoByteSize(const DotPlan& plan, const Shape& lhs, const Shape& rhs, ElementType type) {
  const double packing =
      DispatchElementType<kAnyArray>(type, [&]<typename T>() { return PackingByteSize<T>(plan); });
  return ConvertedByteSize(lhs, type) + ConvertedByteSize(rhs, type) + packing;
}

double DotScratch(const OpView& op) {
  const Shape& lhs = op.operand_shape(0);
  const Shape& rhs = op.operand_shape(1);
  return DotIntoByteSize(DotPlan(DotSides(op), lhs.dims(), rhs.dims()), lhs, rhs,
                         op.written_shape()->element_type());
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareDot(Evaluation& e) {
  return Prepare<FittedDot>(e);
}

absl::Status EvalDot(Evaluation& e) {
  const FittedDot& dot = PreparedOf<FittedDot>(e);
  HLO_RETURN_IF_ERROR(dot.sizes_fit);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(dot.result_dims)));
  ScratchPool& pool = e.device().scratch();
  const FittedArray lhs(pool, e.operand(0), AsSpan(dot.lhs_dims));
  const FittedArray rhs(pool, e.operand(1), AsSpan(dot.rhs_dims));
  DotInto(pool, *dot.plan, lhs.ref(), rhs.ref(), e.result());
  return absl::OkStatus();
}

}  // namespace hlo::reference
