// convolution (semantics.md 10.4). Padding and holes of the input are written out as zeros first;
// then every window is at an offset from its pixel, every term of its sum at an offset from the
// window's begin, and the sums are those of a product. Padding must not meet infinities or NaN in
// the kernel: 0 times these is no 0.
#include "interp/simd/convolution/convolution.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "interp/reference/eval.h"
#include "interp/reference/strided_copy.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/convolution/complex_convolution.h"
#include "interp/simd/convolution/depthwise_convolution.h"
#include "interp/simd/convolution/integer_sums.h"
#include "interp/simd/product/are_finite.h"
#include "interp/simd/product/byte_products.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/tile_product.h"
#include "interp/simd/simd.h"
#include "ir/window_dimension.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

using reference::DenseStrides;

Index PaddedSizes(std::span<const PaddedDimension> padded) {
  Index sizes;
  for (const PaddedDimension& dimension : padded) sizes.push_back(dimension.size);
  return sizes;
}

// The product in matrix registers, or of bytes by vectors, where the processor takes these types.
// They are multiplied as they are, and summed in 32 bits.
template <typename T>
std::optional<TileProduct> TilesOf(const OpView& op, const ConvolutionShape& shape) {
  if (sizeof(T) > 4) return std::nullopt;
  const ElementType result = op.written_shape()->element_type();
  // To pack windows for few features takes longer than what the shortest sums of bytes save.
  if (!HasMatrixRegisters() && AvailableByteProducts() == ByteProducts::kTwo &&
      shape.product().columns.count() < kPanelLines) {
    return std::nullopt;
  }
  const ElementType input = op.operand_shape(0).element_type();
  const ElementType kernel = op.operand_shape(1).element_type();
  const bool changes = !HoldsAll(result, input) || !HoldsAll(result, kernel);
  if (Saturates(result) && changes) return std::nullopt;
  const bool input_first = shape.input_gives_rows();
  return TileProduct::Make(shape.product(), input_first ? input : kernel,
                           input_first ? kernel : input, result);
}

template <typename T>
class ConvolutionState final : public KernelState {
 public:
  explicit ConvolutionState(const OpView& op)
      : shape(op), product(shape.product()), tiles(TilesOf<T>(op, shape)) {}

  // The bytes of a packed kernel; 0: it is of no use.
  int64_t PackedByteSize() const {
    if (!shape.input_gives_rows()) return 0;
    if (tiles) return tiles->PackedByteSize();
    return product.HasPackedForm() ? product.PackedSize() * static_cast<int64_t>(sizeof(T)) : 0;
  }
  const T* packed_vectors() const { return reinterpret_cast<const T*>(packed.get()); }

  ConvolutionShape shape;
  MatrixProduct<T> product;
  std::optional<TileProduct> tiles;
  // Of a kernel that is the same in all runs.
  AlignedMemory packed;
  bool is_kernel_finite = false;
};

// --- In matrix registers: arrays are padded and packed in their own types

absl::Status RunReference(Evaluation& e) {
  HLO_RETURN_IF_ERROR(e.RunInstead(reference::FindKernel(Opcode::kConvolution)));
  return RunEpilogue(e);
}

const std::byte* KernelBegin(const Evaluation& e, const ConvolutionShape& shape) {
  const ArrayRef& kernel = e.operand(1);
  return kernel.bytes + shape.kernel_offset() * ElementByteSize(kernel.element_type);
}

// Whether 0 times each element of the kernel is 0.
absl::StatusOr<bool> IsKernelFinite(const DeviceContext& device, const ArrayRef& kernel) {
  if (kernel.element_type != ElementType::kBf16) return true;
  return AreFiniteInParts(device, kernel);
}

// `Element` has the size of the input's, whose 0 is all bits 0.
template <typename Element, typename State>
absl::Status RunInTiles(Evaluation& e, const State& state) {
  const ConvolutionShape& shape = state.shape;
  if (!shape.is_inside()) {
    bool is_finite = state.is_kernel_finite;
    if (state.packed.get() == nullptr) {
      HLO_ASSIGN_OR_RETURN(is_finite, IsKernelFinite(e.device(), e.operand(1)));
    }
    if (!is_finite) return RunReference(e);
  }
  const auto* input = reinterpret_cast<const Element*>(e.operand(0).bytes);
  ScratchArray<Element> padded;
  if (!shape.is_inside()) {
    HLO_ASSIGN_OR_RETURN(padded, PadInput(e.device(), shape.padded(), input));
    input = padded.get();
  }
  const auto* pixels = reinterpret_cast<const std::byte*>(input + shape.input_offset());
  const std::byte* kernel = KernelBegin(e, shape);
  return RunWithEpilogue(e, *state.tiles, shape.input_gives_rows() ? pixels : kernel,
                         shape.input_gives_rows() ? kernel : pixels, state.packed.get());
}

// --- With vectors: arrays are converted to carriers

// Whether the product widens elements of the kernel as it packs them.
template <typename T>
bool TakesNarrowKernel(const ConvolutionShape& shape, const MatrixProduct<T>& product,
                       ElementType kernel, ElementType result) {
  return shape.input_gives_rows() && product.HasPackedForm() && IsNarrow<T>(kernel, result);
}

template <typename T>
absl::StatusOr<CarrierArray<T>> KernelCarriers(Evaluation& e, const ConvolutionState<T>& state) {
  const ArrayRef& kernel = e.operand(1);
  const ElementType type = e.result().element_type;
  return TakesNarrowKernel(state.shape, state.product, kernel.element_type, type)
             ? CarrierArray<T>::MakeForProduct(e.device(), kernel, type)
             : CarrierArray<T>::Make(e.device(), kernel, type);
}

template <typename T>
absl::StatusOr<bool> IsKernelFinite(Evaluation& e, const CarrierArray<T>& kernel) {
  return kernel.data() == nullptr
             ? AreFiniteInParts(e.device(), e.operand(1))
             : AreFiniteInParts(e.device(), kernel.data(), e.operand(1).element_count());
}

template <typename T>
absl::Status PackKernel(Evaluation& e, ConvolutionState<T>& state) {
  state.packed = AlignedMemory(state.PackedByteSize());
  if (state.tiles) {
    HLO_ASSIGN_OR_RETURN(state.is_kernel_finite, IsKernelFinite(e.device(), e.operand(1)));
    return state.tiles->Pack(e.device(), KernelBegin(e, state.shape), state.packed.get());
  }
  HLO_ASSIGN_OR_RETURN(const CarrierArray<T> kernel, KernelCarriers(e, state));
  state.is_kernel_finite = true;
  if (!state.shape.is_inside()) {
    HLO_ASSIGN_OR_RETURN(state.is_kernel_finite, IsKernelFinite(e, kernel));
  }
  return state.product.Pack(e.device(), kernel.product_data() + state.shape.kernel_offset(),
                            reinterpret_cast<T*>(state.packed.get()));
}

template <typename T>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  auto state = std::make_unique<ConvolutionState<T>>(e.op());
  if (e.IsFixed(1) && state->PackedByteSize() > 0 && e.operand(1).element_count() > 0) {
    HLO_RETURN_IF_ERROR(PackKernel<T>(e, *state));
  }
  return state;
}

// Whether the product widens elements of the input by itself, and so none that windows skip.
template <typename T>
bool TakesNarrowInput(const ConvolutionShape& shape, ElementType input, ElementType result) {
  return shape.is_inside() && shape.has_single_places() && IsNarrow<T>(input, result);
}

// False: the kernel has infinities or NaN and meets padding, so that the result is of no use.
template <typename T>
absl::StatusOr<bool> RunProduct(Evaluation& e, const ConvolutionState<T>& state) {
  const ConvolutionShape& shape = state.shape;
  const DeviceContext& device = e.device();
  const ElementType type = e.result().element_type;
  const bool has_packed = state.packed_vectors() != nullptr;
  if (has_packed && !shape.is_inside() && !state.is_kernel_finite) return false;
  std::optional<CarrierArray<T>> kernel;
  ProductData<T> kernel_data;
  // A kernel that the run packs is looked at then.
  const bool looks = !shape.is_inside() && !has_packed;
  const bool looks_at_columns = looks && shape.input_gives_rows() && state.product.HasPackedForm();
  if (!has_packed) {
    HLO_ASSIGN_OR_RETURN(kernel, KernelCarriers(e, state));
    kernel_data = kernel->product_data() + shape.kernel_offset();
  }
  if (looks && !looks_at_columns) {
    HLO_ASSIGN_OR_RETURN(const bool is_finite, IsKernelFinite(e, *kernel));
    if (!is_finite) return false;
  }
  const bool is_narrow = TakesNarrowInput<T>(shape, e.operand(0).element_type, type);
  HLO_ASSIGN_OR_RETURN(const CarrierArray<T> input,
                       is_narrow ? CarrierArray<T>::MakeForProduct(device, e.operand(0), type)
                                 : CarrierArray<T>::Make(device, e.operand(0), type));
  ProductData<T> input_data = input.product_data();
  ScratchArray<T> padded;
  if (!shape.is_inside()) {
    HLO_ASSIGN_OR_RETURN(padded, PadInput(device, shape.padded(), input.data()));
    input_data.carriers = padded.get();
  }
  input_data = input_data + shape.input_offset();
  const ProductData<T> rows = shape.input_gives_rows() ? input_data : kernel_data;
  const ProductData<T> columns = shape.input_gives_rows() ? kernel_data : input_data;
  std::atomic<bool> is_finite = true;
  ProductWatch watch;
  if (looks_at_columns) watch.are_columns_finite = &is_finite;
  HLO_RETURN_IF_ERROR(
      RunWithEpilogue<T>(e, state.product, rows, columns, state.packed_vectors(), watch));
  return is_finite.load();
}

template <typename T>
absl::Status Run(Evaluation& e) {
  const ConvolutionState<T>& state = e.state<ConvolutionState<T>>();
  if (e.operand(0).element_count() == 0 || e.operand(1).element_count() == 0) {
    return RunReference(e);
  }
  if (state.tiles) {
    return ElementByteSize(e.operand(0).element_type) == 2 ? RunInTiles<uint16_t>(e, state)
                                                           : RunInTiles<uint8_t>(e, state);
  }
  HLO_ASSIGN_OR_RETURN(const bool is_fine, RunProduct<T>(e, state));
  return is_fine ? absl::OkStatus() : RunReference(e);
}

// Whether a run may be left to the reference kernel: for lack of elements, or for what they are.
bool MayRunReference(const OpView& op, const ConvolutionShape& shape) {
  const auto has_elements = [&](int64_t i) {
    return ElementCount(op.operand_shape(i)).value_or(1) > 0;
  };
  return !shape.is_inside() || !has_elements(0) || !has_elements(1);
}

template <typename T>
int64_t OwnScratchByteSize(const OpView& op, const ConvolutionShape& shape) {
  const ElementType type = op.written_shape()->element_type();
  if (const auto tiles = TilesOf<T>(op, shape)) {
    const int64_t padded = shape.is_inside() ? 0 : shape.padded_count();
    return padded * ElementByteSize(op.operand_shape(0).element_type()) + tiles->ScratchByteSize();
  }
  const bool is_narrow = TakesNarrowInput<T>(shape, op.operand_shape(0).element_type(), type);
  const MatrixProduct<T> product(shape.product());
  const ElementType kernel_type = op.operand_shape(1).element_type();
  int64_t byte_size = 0;
  if (!TakesNarrowKernel(shape, product, kernel_type, type)) {
    byte_size += CarrierArray<T>::ByteSize(op.operand_shape(1), type);
  }
  if (!is_narrow) byte_size += CarrierArray<T>::ByteSize(op.operand_shape(0), type);
  const int64_t element_size = static_cast<int64_t>(sizeof(T));
  if (!shape.is_inside()) byte_size += shape.padded_count() * element_size;
  const int64_t products =
      product.ScratchByteSize(type, /*widens_rows=*/is_narrow && shape.input_gives_rows());
  return CheckedAdd(byte_size, products).value_or(INT64_MAX);
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  const ConvolutionShape shape(op);
  const int64_t own = OwnScratchByteSize<T>(op, shape);
  return MayRunReference(op, shape) ? ScratchWithReference(op, own) : own;
}

// The packed kernel, when it is always the same.
template <typename T>
int64_t StateByteSize(const OpView& op, IsFixedOperand is_fixed) {
  const ConvolutionState<T> state(op);
  const int64_t own = is_fixed(1) ? state.PackedByteSize() : 0;
  return MayRunReference(op, state.shape) ? StateWithReference(op, is_fixed, own) : own;
}

template <typename T>
constexpr Kernel kConvolutionKernel = {.run = Run<T>,
                                       .prepare = Prepare<T>,
                                       .scratch_byte_size = ScratchByteSize<T>,
                                       .state_byte_size = StateByteSize<T>};

class ConvolutionProgram final : public ProductProgram {
 public:
  ConvolutionProgram(OpView op, InstructionId instruction, const Kernel& kernel)
      : op_(op), instruction_(instruction), kernel_(kernel) {}

  const Kernel& kernel() const override { return kernel_; }
  InstructionId instruction() const override { return instruction_; }
  std::shared_ptr<const StepProgram> With(Epilogue epilogue) const override {
    auto program = std::make_shared<ConvolutionProgram>(*this);
    program->epilogue_ = std::move(epilogue);
    return program;
  }
  int64_t ScratchByteSize() const override {
    const int64_t own = kernel_.scratch_byte_size(op_);
    return epilogue_ ? epilogue_->ScratchBehind(own) : own;
  }
  int64_t StateByteSize(IsFixedOperand is_fixed) const override {
    return kernel_.state_byte_size(op_, is_fixed);
  }

 private:
  OpView op_;
  InstructionId instruction_;
  const Kernel& kernel_;
};

}  // namespace

ConvolutionShape::ConvolutionShape(const OpView& op) {
  FindPadding(op);
  FindProduct(op);
  has_few_features_ = HasFewFeatures(op);
}

void ConvolutionShape::FindPadding(const OpView& op) {
  const Shape& input = op.operand_shape(0);
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Window& window = op.Get<Attr::kWindow>();
  for (int64_t size : input.dims()) padded_.push_back({size, size, 0, 1});
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    const int64_t outputs = op.written_shape()->dim(numbers.output_spatial[d]);
    PaddedDimension& padded = padded_[static_cast<size_t>(numbers.input_spatial[d])];
    padded.low = dimension.padding_low;
    padded.dilation = dimension.base_dilation;
    const double size =
        static_cast<double>(outputs - 1) * static_cast<double>(dimension.stride) +
        static_cast<double>(dimension.size - 1) * static_cast<double>(dimension.window_dilation) +
        1;
    padded.size = outputs == 0 ? 0 : static_cast<int64_t>(std::min(size, 0x1p40));
    is_inside_ &= padded.IsInside();
    has_single_places_ &= dimension.size == 1;
  }
  const Index strides = DenseStrides(input.dims());
  for (size_t d = 0; d < padded_.size(); ++d) {
    if (is_inside_) input_offset_ -= padded_[d].low * strides[d];
  }
}

bool ConvolutionShape::HasExcessPadding(const OpView& op) const {
  const double input_count = static_cast<double>(ElementCount(op.operand_shape(0)).value_or(0));
  return static_cast<double>(padded_count()) > 8 * input_count + 0x1p20;
}

// Measured with AVX2 beside oneDNN, whose vectors are of features: up to these numbers of them sums
// of windows take less time, from one output feature of one input in a tenth of it. Matrix
// registers, which take bf16 and bytes, have far more products at a time. Gradients by kernels have
// windows as large as images.
bool ConvolutionShape::HasFewFeatures(const OpView& op) const {
  constexpr int64_t kMostInputs = 64;
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Shape& kernel = op.operand_shape(1);
  double places = 1, windows = 1;
  for (size_t d = 0; d < numbers.kernel_spatial.size(); ++d) {
    places *= static_cast<double>(kernel.dim(numbers.kernel_spatial[d]));
    windows *= static_cast<double>(op.written_shape()->dim(numbers.output_spatial[d]));
  }
  const bool is_for_matrix_registers =
      HasMatrixRegisters() &&
      TileElementsOf(op.operand_shape(0).element_type(), op.operand_shape(1).element_type());
  return !is_for_matrix_registers && group_count_ == 1 &&
         group_outputs_ <= (input_gives_rows_ ? 3 : 4) &&
         kernel.dim(numbers.kernel_input_feature) <= kMostInputs && places > 1 && places <= windows;
}

void ConvolutionShape::FindProduct(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Window& window = op.Get<Attr::kWindow>();
  const Shape& input = op.operand_shape(0);
  const Shape& kernel = op.operand_shape(1);
  const Shape& result = *op.written_shape();
  const Index input_strides =
      is_inside_ ? DenseStrides(input.dims()) : DenseStrides(PaddedSizes(padded_));
  const Index kernel_strides = DenseStrides(kernel.dims());
  const Index out_strides = DenseStrides(result.dims());
  const int64_t feature_groups = op.Get<Attr::kFeatureGroupCount>();
  const int64_t batch_groups = op.Get<Attr::kBatchGroupCount>();
  product_.saturates = Saturates(result.element_type());
  group_count_ = std::max(feature_groups, batch_groups);
  group_outputs_ = kernel.dim(numbers.kernel_output_feature) / group_count_;
  const int64_t kernel_inputs = kernel.dim(numbers.kernel_input_feature);
  const int64_t batch = result.dim(numbers.output_batch);
  const int64_t group_stride = batch_groups > 1
                                   ? batch * input_strides[numbers.input_batch]
                                   : kernel_inputs * input_strides[numbers.input_feature];

  const ProductDimension groups = {group_count_, group_stride,
                                   group_outputs_ * kernel_strides[numbers.kernel_output_feature],
                                   group_outputs_ * out_strides[numbers.output_feature]};
  const ProductDimension features = {group_outputs_, 0,
                                     kernel_strides[numbers.kernel_output_feature],
                                     out_strides[numbers.output_feature]};
  const ProductDimension images = {batch, input_strides[numbers.input_batch], 0,
                                   out_strides[numbers.output_batch]};
  std::vector<ProductDimension> pixels, terms;
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    const int64_t stride = input_strides[numbers.input_spatial[d]];
    const int64_t kernel_stride = kernel_strides[numbers.kernel_spatial[d]];
    pixels.push_back({result.dim(numbers.output_spatial[d]), dimension.stride * stride, 0,
                      out_strides[numbers.output_spatial[d]]});
    terms.push_back({dimension.size, dimension.window_dilation * stride,
                     dimension.reversal ? -kernel_stride : kernel_stride, 0});
    if (dimension.reversal) kernel_offset_ += (dimension.size - 1) * kernel_stride;
  }
  terms.push_back({kernel_inputs, input_strides[numbers.input_feature],
                   kernel_strides[numbers.kernel_input_feature], 0});

  // Features become columns where they lie side by side in the result, else pixels if these do.
  ProductDimensions columns_of_pixels;
  for (const ProductDimension& pixel : pixels) {
    columns_of_pixels.Add({pixel.size, 0, 0, pixel.out_stride});
  }
  input_gives_rows_ =
      features.out_stride == 1 || !columns_of_pixels.IsDense(&ProductDimension::out_stride);
  const auto add = [&](ProductDimensions& dimensions, ProductDimension dimension) {
    if (!input_gives_rows_) std::swap(dimension.row_stride, dimension.column_stride);
    dimensions.Add(dimension);
  };
  add(product_.batch, groups);
  for (const ProductDimension& term : terms) add(product_.sum, term);
  if (input_gives_rows_) {
    pixels.push_back(images);
    std::ranges::stable_sort(pixels, std::ranges::greater(), &ProductDimension::out_stride);
    for (const ProductDimension& pixel : pixels) add(product_.rows, pixel);
    add(product_.columns, features);
  } else {
    add(product_.batch, images);
    for (const ProductDimension& pixel : pixels) add(product_.columns, pixel);
    add(product_.rows, features);
  }
}

const Kernel* FindConvolutionKernel(const OpView& op) {
  if (op.operand_count() != 2) return nullptr;  // sparse
  // The sizes of gradients may fit another formula (verifier.md, `convolution.wgrad-batch`).
  const ConvolutionKind kind = op.Get<Attr::kConvolutionKind>();
  if (kind != ConvolutionKind::kUnset && kind != ConvolutionKind::kFprop) return nullptr;
  const Shape& result = *op.written_shape();
  const ElementType type = result.element_type();
  if (IsComplex(type)) return FindComplexConvolutionKernel(op);
  const auto is_plain = [](const Shape& shape) {
    return !shape.HasDynamicDim() && !IsComplex(shape.element_type());
  };
  if (!is_plain(result) || !is_plain(op.operand_shape(0)) || !is_plain(op.operand_shape(1))) {
    return nullptr;
  }
  const ConvolutionShape shape(op);
  if (shape.HasExcessPadding(op)) return nullptr;
  if (shape.suits_window_sums()) {
    if (const Kernel* kernel = FindDepthwiseConvolutionKernel(op)) return kernel;
  }
  return DispatchSums(op, []<typename T>() -> const Kernel* { return &kConvolutionKernel<T>; });
}

std::shared_ptr<const ProductProgram> MakeConvolutionProgram(const Plan& plan, const Step& step) {
  const Kernel* kernel = FindKernel(plan, step);
  if (kernel == nullptr) return nullptr;
  return std::make_shared<ConvolutionProgram>(OpView(*plan.module, plan.instruction(step)),
                                              step.instruction, *kernel);
}

}  // namespace hlo::simd
