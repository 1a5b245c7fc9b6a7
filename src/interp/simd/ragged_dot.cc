// ragged-dot (semantics.md 10.2) where the rows of the lhs are ragged: those of a group lie one
// behind the other and are multiplied with the group's part of the rhs. How many they are is known
// in a run only; products are worked out once, for 1, 2, 4 ... rows, and a group takes the largest
// ones that fit.
#include "interp/simd/ragged_dot.h"

#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/strided.h"
#include "interp/simd/carrier_array.h"
#include "interp/simd/matrix_product.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

ElementType ResultType(const OpView& op) { return op.written_shape()->element_type(); }

bool Contains(std::span<const int64_t> dimensions, int64_t d) {
  return std::ranges::find(dimensions, d) != dimensions.end();
}

// The product of so many rows with one group's part of the rhs.
ProductShape ShapeOfRows(const OpView& op, int64_t row_count) {
  const Shape &lhs = op.operand_shape(0), &rhs = op.operand_shape(1);
  const Index lhs_strides = reference::DenseStrides(lhs.dims());
  const Index rhs_strides = reference::DenseStrides(rhs.dims());
  const Index out_strides = reference::DenseStrides(op.written_shape()->dims());
  const auto lhs_contracting = op.Get<Attr::kLhsContractingDims>();
  const auto rhs_contracting = op.Get<Attr::kRhsContractingDims>();
  ProductShape shape;
  shape.rows.Add({row_count, lhs_strides[static_cast<size_t>(op.Get<Attr::kLhsRaggedDims>()[0])], 0,
                  out_strides[0]});
  for (size_t i = 0; i < lhs_contracting.size(); ++i) {
    shape.sum.Add({lhs.dim(lhs_contracting[i]),
                   lhs_strides[static_cast<size_t>(lhs_contracting[i])],
                   rhs_strides[static_cast<size_t>(rhs_contracting[i])], 0});
  }
  size_t next = 1;
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (d == op.Get<Attr::kRhsGroupDims>()[0] || Contains(rhs_contracting, d)) continue;
    shape.columns.Add({rhs.dim(d), 0, rhs_strides[static_cast<size_t>(d)], out_strides[next++]});
  }
  return shape;
}

template <typename T>
struct RaggedProducts {
  explicit RaggedProducts(const OpView& op) {
    const int64_t ragged = op.Get<Attr::kLhsRaggedDims>()[0];
    const int64_t group = op.Get<Attr::kRhsGroupDims>()[0];
    row_count = op.operand_shape(0).dim(ragged);
    group_count = op.operand_shape(1).dim(group);
    row_stride = reference::DenseStrides(op.operand_shape(0).dims())[static_cast<size_t>(ragged)];
    group_stride = reference::DenseStrides(op.operand_shape(1).dims())[static_cast<size_t>(group)];
    out_stride = reference::DenseStrides(op.written_shape()->dims())[0];
    for (int64_t rows = 1; rows <= row_count; rows *= 2) {
      by_row_count.emplace_back(ShapeOfRows(op, rows));
    }
  }

  int64_t row_count, group_count;
  int64_t row_stride, group_stride, out_stride;  // elements of lhs, rhs and result
  std::vector<MatrixProduct<T>> by_row_count;    // 1, 2, 4 ...
};

// One run of the step.
template <typename T>
class RaggedRun {
 public:
  RaggedRun(Evaluation& e, ProductData<T> lhs, ProductData<T> rhs)
      : e_(e), products_(PreparedOf<RaggedProducts<T>>(e)), lhs_(lhs), rhs_(rhs) {}

  // Lengths may be any numbers: a row is in the first group that ends behind it. Rows behind all
  // groups are 0.
  absl::Status Run() {
    int64_t row = 0;
    __int128 end = 0;
    for (int64_t g = 0; g < products_.group_count; ++g) {
      end += reference::IntegerAt(e_.operand(2), g);
      const auto reach = static_cast<int64_t>(std::clamp<__int128>(end, 0, products_.row_count));
      HLO_RETURN_IF_ERROR(Multiply(g, row, reach));
      row = std::max(row, reach);
    }
    std::byte* rest = OutOf(row);
    std::fill(rest, OutOf(products_.row_count), std::byte{0});
    return absl::OkStatus();
  }

 private:
  std::byte* OutOf(int64_t row) const {
    return e_.result().bytes +
           row * products_.out_stride * ElementByteSize(e_.result().element_type);
  }

  // Rows [row, end) with group g.
  absl::Status Multiply(int64_t g, int64_t row, int64_t end) const {
    for (size_t i = products_.by_row_count.size(); i-- > 0;) {
      const int64_t rows = int64_t{1} << i;
      for (; row + rows <= end; row += rows) {
        HLO_RETURN_IF_ERROR(products_.by_row_count[i].Run(
            e_.device(), lhs_ + row * products_.row_stride, rhs_ + g * products_.group_stride,
            nullptr, e_.result().element_type, OutOf(row)));
      }
    }
    return absl::OkStatus();
  }

  Evaluation& e_;
  const RaggedProducts<T>& products_;
  ProductData<T> lhs_, rhs_;
};

template <typename T>
absl::Status Run(Evaluation& e) {
  const ElementType type = e.result().element_type;
  HLO_ASSIGN_OR_RETURN(const auto lhs,
                       CarrierArray<T>::MakeForProduct(e.device(), e.operand(0), type));
  HLO_ASSIGN_OR_RETURN(const auto rhs,
                       CarrierArray<T>::MakeForProduct(e.device(), e.operand(1), type));
  return RaggedRun<T>(e, lhs.product_data(), rhs.product_data()).Run();
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  int64_t operands = 0, product = 0;
  for (int64_t i = 0; i < 2; ++i) {
    operands += CarrierArray<T>::ByteSizeForProduct(op.operand_shape(i), ResultType(op));
  }
  const bool has_narrow_rows = IsNarrow<T>(op.operand_shape(0).element_type(), ResultType(op));
  const RaggedProducts<T> products(op);
  for (const MatrixProduct<T>& p : products.by_row_count) {
    product = std::max(product, p.ScratchByteSize(ResultType(op), has_narrow_rows));
  }
  return CheckedAdd(operands, product).value_or(INT64_MAX);
}

template <typename T>
constexpr Kernel kRaggedDot = {
    .run = Run<T>, .prepare = Prepare<RaggedProducts<T>>, .scratch_byte_size = ScratchByteSize<T>};

}  // namespace

const Kernel* FindRaggedDotKernel(const OpView& op) {
  const auto is_plain = [](const Shape& shape) {
    return !shape.HasDynamicDim() &&
           (IsFloat(shape.element_type()) || IsInteger(shape.element_type()));
  };
  for (int64_t i = 0; i < 3; ++i) {
    if (!is_plain(op.operand_shape(i))) return nullptr;
  }
  const auto contracting = op.Get<Attr::kLhsContractingDims>();
  const std::span<const int64_t> ragged = op.Get<Attr::kLhsRaggedDims>();
  const bool has_zero = ResultType(op) != ElementType::kF8E8M0Fnu;
  const bool is_fine = has_zero && is_plain(*op.written_shape()) &&
                       op.Get<Attr::kRhsGroupDims>().size() == 1 &&
                       op.Get<Attr::kLhsBatchDims>().empty() && ragged.size() == 1 &&
                       !Contains(contracting, ragged[0]) && op.operand_shape(2).rank() == 1 &&
                       op.operand_shape(0).rank() == static_cast<int64_t>(contracting.size()) + 1;
  if (!is_fine) return nullptr;
  return DispatchCarrier(ResultType(op),
                         []<typename T>() -> const Kernel* { return &kRaggedDot<T>; });
}

}  // namespace hlo::simd
