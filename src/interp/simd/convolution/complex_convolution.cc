// convolution of complex numbers (semantics.md 10.4): the input is padded, and then the product of
// numbers that a convolution is (convolution.h) is one of their parts (complex_product.h). Results
// that are not finite may come of infinite factors, or of these beside padding: the reference
// kernel has the step then.
#include "interp/simd/convolution/complex_convolution.h"

#include <complex>
#include <memory>

#include "interp/reference/eval.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/convolution/convolution.h"
#include "interp/simd/convolution/depthwise_convolution.h"
#include "interp/simd/product/are_finite.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/complex_product.h"
#include "interp/simd/product/epilogue.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

// The numbers of the array that the columns of the product are of.
int64_t ColumnCount(const OpView& op, const ConvolutionShape& shape) {
  if (shape.input_gives_rows()) return ElementCount(op.operand_shape(1)).value_or(0);
  return shape.is_inside() ? ElementCount(op.operand_shape(0)).value_or(0) : shape.padded_count();
}

template <typename T>
class ComplexConvolutionState final : public KernelState {
 public:
  explicit ComplexConvolutionState(const OpView& op)
      : shape(op),
        expanded(shape.product(), ColumnCount(op, shape)),
        product(expanded.Product(shape.product())) {}

  ConvolutionShape shape;
  ExpandedColumns expanded;
  MatrixProduct<T> product;
};

template <typename T>
absl::StatusOr<bool> RunProduct(Evaluation& e, const ComplexConvolutionState<T>& state) {
  using Number = std::complex<T>;
  const ConvolutionShape& shape = state.shape;
  const DeviceContext& device = e.device();
  const auto* kernel = reinterpret_cast<const Number*>(e.operand(1).bytes);
  const auto* input = reinterpret_cast<const Number*>(e.operand(0).bytes);
  ScratchArray<Number> padded;
  if (!shape.is_inside()) {
    HLO_ASSIGN_OR_RETURN(padded, PadInput(device, shape.padded(), input));
    input = padded.get();
  }
  const bool has_input_rows = shape.input_gives_rows();
  const Number* rows =
      has_input_rows ? input + shape.input_offset() : kernel + shape.kernel_offset();
  const Number* columns = has_input_rows ? kernel : input;
  const int64_t first_column = has_input_rows ? shape.kernel_offset() : shape.input_offset();
  const ScratchArray<T> expanded(device.scratch(), state.expanded.part_count());
  HLO_RETURN_IF_ERROR(
      state.expanded.Expand(device, reinterpret_cast<const T*>(columns), expanded.get()));
  HLO_RETURN_IF_ERROR(state.product.Run(device, {reinterpret_cast<const T*>(rows)},
                                        {expanded.get() + state.expanded.Offset(first_column)},
                                        nullptr, kCarrierType<T>, e.result().bytes));
  return AreFiniteInParts(device, reinterpret_cast<const T*>(e.result().bytes),
                          2 * e.result().element_count());
}

template <typename T>
absl::Status Run(Evaluation& e) {
  bool is_fine = e.operand(0).element_count() > 0 && e.operand(1).element_count() > 0;
  if (is_fine) {
    HLO_ASSIGN_OR_RETURN(is_fine, RunProduct(e, e.state<ComplexConvolutionState<T>>()));
  }
  if (!is_fine) HLO_RETURN_IF_ERROR(e.RunInstead(reference::FindKernel(Opcode::kConvolution)));
  return RunEpilogue(e);
}

template <typename T>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  return std::make_unique<ComplexConvolutionState<T>>(e.op());
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  const ComplexConvolutionState<T> state(op);
  int64_t count = state.expanded.part_count();
  if (!state.shape.is_inside()) count += Times(2, state.shape.padded_count());
  const int64_t product = state.product.ScratchByteSize(kCarrierType<T>, /*widens_rows=*/false);
  const int64_t work = Times(count, static_cast<int64_t>(sizeof(T)));
  return ScratchWithReference(op, CheckedAdd(work, product).value_or(INT64_MAX));
}

template <typename T>
constexpr Kernel kComplexConvolutionKernel = {
    .run = Run<T>,
    .prepare = Prepare<T>,
    .scratch_byte_size = ScratchByteSize<T>,
    .state_byte_size = [](const OpView& op, IsFixedOperand f) {
      return StateWithReference(op, f, 0);
    }};

}  // namespace

const Kernel* FindComplexConvolutionKernel(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  for (const Shape* shape : {op.written_shape(), &op.operand_shape(0), &op.operand_shape(1)}) {
    if (shape->element_type() != type || shape->HasDynamicDim()) return nullptr;
    // Strides count parts.
    if (ElementCount(*shape).value_or(INT64_MAX) > INT64_MAX / 16) return nullptr;
  }
  const ConvolutionShape shape(op);
  if (shape.HasExcessPadding(op)) return nullptr;
  // Products of next to nothing, one for each channel.
  if (shape.HasGroupsBelow(4)) {
    return shape.group_outputs() == 1 ? FindDepthwiseConvolutionKernel(op) : nullptr;
  }
  // Columns are one dimension in the result, of both parts of numbers side by side.
  const ProductShape parts =
      ExpandedColumns(shape.product(), ColumnCount(op, shape)).Product(shape.product());
  if (!parts.columns.IsEven(kInOut) || parts.columns.Distance(kInOut) > 1) return nullptr;
  return type == ElementType::kC64 ? &kComplexConvolutionKernel<float>
                                   : &kComplexConvolutionKernel<double>;
}

}  // namespace hlo::simd
