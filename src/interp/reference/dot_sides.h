// The dimensions of a dot's operands by role (semantics.md 10.1).
#ifndef HLOKIT_INTERP_REFERENCE_DOT_SIDES_H_
#define HLOKIT_INTERP_REFERENCE_DOT_SIDES_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/contraction.h"
#include "interp/reference/strided.h"
#include "ir/dot_dimensions.h"

namespace hlo::reference {

inline Index Concatenate(std::initializer_list<Index> parts) {
  Index all;
  for (const Index& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct DotSide {
  Index batch, contracting, free;

  explicit DotSide(const DotDimensions& dimensions)
      : batch(dimensions.batch.begin(), dimensions.batch.end()),
        contracting(dimensions.contracting.begin(), dimensions.contracting.end()),
        free(dimensions.free.begin(), dimensions.free.end()) {}

  Index RowOrder() const { return Concatenate({batch, free, contracting}); }
  Index ColumnOrder() const { return Concatenate({batch, contracting, free}); }
};

inline Index SizesOf(const ArrayRef& array, const Index& dimensions) {
  return Select(array.dims, AsSpan(dimensions));
}
inline int64_t CountOf(std::span<const int64_t> dims, const Index& dimensions) {
  return Product(AsSpan(Select(dims, AsSpan(dimensions))));
}
inline int64_t CountOf(const ArrayRef& array, const Index& dimensions) {
  return CountOf(array.dims, dimensions);
}

struct DotSides {
  DotSides(DotSide lhs_side, DotSide rhs_side)
      : lhs(std::move(lhs_side)), rhs(std::move(rhs_side)) {}
  explicit DotSides(const OpView& op)
      : lhs(DotDimensions::Of(op, 0)), rhs(DotDimensions::Of(op, 1)) {}

  Index ResultDims(const Evaluation& e) const {
    return ResultDims(e.operand(0).dims, e.operand(1).dims);
  }
  Index ResultDims(std::span<const int64_t> lhs_dims, std::span<const int64_t> rhs_dims) const {
    return Concatenate({Select(lhs_dims, AsSpan(lhs.batch)), Select(lhs_dims, AsSpan(lhs.free)),
                        Select(rhs_dims, AsSpan(rhs.free))});
  }

  // Fails when dynamic operands turn out not to fit together.
  absl::Status CheckSizes(const Evaluation& e) const {
    if (SizesOf(e.operand(0), lhs.batch) == SizesOf(e.operand(1), rhs.batch) &&
        SizesOf(e.operand(0), lhs.contracting) == SizesOf(e.operand(1), rhs.contracting)) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError("the operands' sizes disagree at run time");
  }

  DotSide lhs, rhs;
};

// A dot of arrays of certain sizes, which must fit together: the counts of what is multiplied, and
// the order in which it is packed. The wider of the two sides becomes the columns.
struct DotPlan {
  DotPlan(const DotSides& sides, std::span<const int64_t> lhs, std::span<const int64_t> rhs);

  int64_t batch_count, row_count, sum_count, column_count;
  bool is_transposed;     // the rhs gives the rows
  Packing rows, columns;  // [batch, rows, sum] and [batch, sum, columns]
};

// The dot of two arrays into an array of the result's sizes.
void DotInto(ScratchPool& pool, const DotPlan& plan, const ArrayRef& lhs, const ArrayRef& rhs,
             const MutableArrayRef& result);
// The bytes that takes for a result of type `type`.
double DotIntoByteSize(const DotPlan& plan, const Shape& lhs, const Shape& rhs, ElementType type);

// A dot of operands 0 and 1, scaled by operands 2 and 3 (semantics.md 10.3). The last may be
// absent.
struct ScaledDotPlan {
  explicit ScaledDotPlan(const Evaluation& e) : ScaledDotPlan(e, DotSides(e.op())) {}
  ScaledDotPlan(const Evaluation& e, const DotSides& sides);

  absl::Status sizes_fit;
  Index result_dims;
  int64_t batch_count, row_count, sum_count, column_count;
  Packing rows, columns;
};

// The scaled dot of the operands of `e` into result 0. Fails when sizes do not fit.
absl::Status ScaledDotInto(Evaluation& e, const ScaledDotPlan& plan);
// The bytes that takes.
double ScaledDotIntoByteSize(const Shape& lhs, const Shape& rhs, const Shape& result);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_DOT_SIDES_H_
