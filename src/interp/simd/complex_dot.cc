// dot of complex numbers (semantics.md 10.1): the parts of a number are an inner dimension of the
// sum on the side of the rows and of the columns in the result, and a number c on the side of the
// columns stands for
//   real(c)   imag(c)
//   -imag(c)  real(c)
// with a row for each part of the other factor and a column for each part of the product. Infinite
// factors, whose products are more than that, are left to the reference kernel.
#include "interp/simd/complex_dot.h"

#include <complex>
#include <memory>

#include "interp/reference/eval.h"
#include "interp/simd/are_finite.h"
#include "interp/simd/carrier_array.h"
#include "interp/simd/dot.h"
#include "interp/simd/parallel.h"
#include "interp/simd/reference_memory.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

// `from` with strides that count parts, and an inner dimension of the parts.
ProductDimensions OfParts(const ProductDimensions& from, const ProductDimension* parts) {
  ProductDimensions result;
  if (from.count() == 0) {
    result.Add({0});
    return result;
  }
  for (const ProductDimension& d : from.dimensions()) {
    result.Add({d.size, 2 * d.row_stride, 4 * d.column_stride, 2 * d.out_stride});
  }
  if (parts != nullptr) result.Add(*parts);
  return result;
}

ProductShape RealShape(const OpView& op) {
  const DotShape shape(op, OwnPlaces(op), /*may_swap=*/false);
  constexpr ProductDimension kFactorParts = {2, 1, 2, 0};
  constexpr ProductDimension kResultParts = {2, 0, 1, 1};
  return {OfParts(shape.product.batch, nullptr), OfParts(shape.product.rows, nullptr),
          OfParts(shape.product.sum, &kFactorParts), OfParts(shape.product.columns, &kResultParts)};
}

template <typename T>
class ComplexDotState final : public KernelState {
 public:
  explicit ComplexDotState(const OpView& op) : product(RealShape(op)) {}

  MatrixProduct<T> product;
};

template <typename T>
absl::Status Run(Evaluation& e) {
  const ArrayRef& lhs = e.operand(0);
  const ArrayRef& rhs = e.operand(1);
  const T* rows = reinterpret_cast<const T*>(lhs.bytes);
  const T* parts = reinterpret_cast<const T*>(rhs.bytes);
  const int64_t count = rhs.element_count();
  if (!AreFinite(rows, 2 * lhs.element_count()) || !AreFinite(parts, 2 * count)) {
    return e.RunInstead(reference::FindKernel(Opcode::kDot));
  }
  const ScratchArray<T> columns(e.device().scratch(), 4 * count);
  constexpr int64_t kPart = int64_t{1} << 15;
  const absl::Status status = ForEachPart(e.device(), CeilDiv(count, kPart), [&](int64_t part) {
    const int64_t end = std::min(count, (part + 1) * kPart);
    for (int64_t i = part * kPart; i < end; ++i) {
      T* to = columns.get() + 4 * i;
      to[0] = to[3] = parts[2 * i];
      to[1] = parts[2 * i + 1];
      to[2] = -parts[2 * i + 1];
    }
  });
  if (!status.ok()) return status;
  return e.state<ComplexDotState<T>>().product.Run(e.device(), {rows}, {columns.get()}, nullptr,
                                                   kCarrierType<T>, e.result().bytes);
}

template <typename T>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  return std::make_unique<ComplexDotState<T>>(e.op());
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  constexpr int64_t kLimit = INT64_MAX / 64;
  const int64_t count = std::min(ElementCount(op.operand_shape(1)).value_or(kLimit), kLimit);
  const int64_t product =
      MatrixProduct<T>(RealShape(op)).ScratchByteSize(kCarrierType<T>, /*has_narrow_rows=*/false);
  return ScratchWithReference(
      op, 4 * count * static_cast<int64_t>(sizeof(T)) + std::min(product, kLimit));
}

template <typename T>
constexpr Kernel kComplexDotKernel = {.run = Run<T>,
                                      .prepare = Prepare<T>,
                                      .scratch_byte_size = ScratchByteSize<T>,
                                      .state_byte_size = [](const OpView& op, IsFixedOperand f) {
                                        return StateWithReference(op, f, 0);
                                      }};

}  // namespace

const Kernel* FindComplexDotKernel(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  if (!IsComplex(type)) return nullptr;
  for (const Shape* shape : {op.written_shape(), &op.operand_shape(0), &op.operand_shape(1)}) {
    if (shape->element_type() != type || shape->HasDynamicDim()) return nullptr;
    // Strides count parts.
    if (ElementCount(*shape).value_or(INT64_MAX) > INT64_MAX / 8) return nullptr;
  }
  return type == ElementType::kC64 ? &kComplexDotKernel<float> : &kComplexDotKernel<double>;
}

}  // namespace hlo::simd
