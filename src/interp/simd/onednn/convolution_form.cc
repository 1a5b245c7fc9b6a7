// A convolution over an input with holes is the gradient of another one by its images: holes are
// that one's strides, and the kernel is seen from the other side. The gradient by a kernel is
// written as a convolution of the images, with batch and features in exchanged roles, by the
// result's gradient: the window has as many elements as that, its dilations are the strides.
#include "interp/simd/onednn/convolution_form.h"

#include <algorithm>
#include <array>

#include "interp/simd/instruction_set.h"
#include "interp/simd/onednn/convolution_layouts.h"
#include "ir/window_dimension.h"

namespace hlo::simd::onednn {
namespace {

// What is too much for a part of a kernel's gradient, since nothing stops a run in the middle of
// one.
constexpr double kMaxPartProducts = 0x1p33;

// Whether the library computes with such arrays.
bool AreArraysFine(const OpView& op) {
  const Shape &input = op.operand_shape(0), &kernel = op.operand_shape(1);
  const auto is_fine = [](const Shape& shape) {
    const int64_t count = ElementCount(shape).value_or(INT64_MAX);
    return !shape.HasDynamicDim() && IsTypeForLibrary(shape.element_type()) && count > 0 &&
           count < (int64_t{1} << 40);
  };
  const Shape& result = *op.written_shape();
  return is_fine(input) && is_fine(kernel) && is_fine(result) &&
         input.element_type() == kernel.element_type() &&
         (result.element_type() == input.element_type() ||
          result.element_type() == ElementType::kF32);
}

// A dimension of the convolution whose result or gradient is wanted.
struct Walk {
  int64_t image, places, size;  // elements of the image, windows on it, elements of the window
  int64_t stride, dilation;
  int64_t padding_low;
};

// Nothing for what is none.
std::optional<Walk> WalkOf(ConvolutionRole role, const WindowDimension& window, int64_t input,
                           int64_t output) {
  switch (role) {
    case ConvolutionRole::kResult:
      if (window.base_dilation != 1) return std::nullopt;
      return Walk{
          input, output, window.size, window.stride, window.window_dilation, window.padding_low};
    case ConvolutionRole::kImageGradient:
      if (window.stride != 1) return std::nullopt;
      // It is padded by what the convolution's window reaches beyond its padding.
      return Walk{output,
                  input,
                  window.size,
                  window.base_dilation,
                  window.window_dilation,
                  (window.size - 1) * window.window_dilation - window.padding_low};
    case ConvolutionRole::kKernelGradient:
      if (window.base_dilation != 1 || (window.reversal && window.size > 1)) return std::nullopt;
      return Walk{input,         window.size,       output, window.window_dilation,
                  window.stride, window.padding_low};
  }
  return std::nullopt;
}

// Adds a dimension of the window; false for what the library does not do.
bool AddWindow(const WindowDimension& window, int64_t input, int64_t output,
               ConvolutionSpec& spec) {
  // The library counts most of this in 32 bits, and sums of it fit 64.
  for (int64_t number : {window.size, window.stride, window.window_dilation, window.base_dilation,
                         window.padding_low, window.padding_high}) {
    if (number > INT32_MAX || number < INT32_MIN) return false;
  }
  const std::optional<Walk> walk = WalkOf(spec.role, window, input, output);
  if (!walk) return false;
  const int64_t reach = (walk->size - 1) * walk->dilation, low = walk->padding_low;
  const int64_t high = (walk->places - 1) * walk->stride + reach + 1 - walk->image - low;
  if (low < 0 || low > reach || high > reach || high <= -walk->stride) return false;
  spec.window_size *= static_cast<double>(walk->size);
  spec.strides.push_back(walk->stride);
  spec.dilations.push_back(walk->dilation - 1);
  spec.padding_low.push_back(low);
  spec.padding_high.push_back(high);  // below 0 for what no window reaches
  spec.flips.push_back(spec.role != ConvolutionRole::kKernelGradient && walk->size > 1 &&
                       window.reversal != (spec.role == ConvolutionRole::kImageGradient));
  return true;
}

// With windows that reach over the first of three dimensions oneDNN 2.6.3 reads past images of bf16
// to make the gradient of a kernel.
bool StaysInMemory(const ConvolutionSpec& spec) {
  if (spec.role != ConvolutionRole::kKernelGradient || spec.strides.size() < 3) return true;
  const bool is_depth_padded = spec.padding_low[0] > 0 || spec.padding_high[0] > 0;
  return !is_depth_padded || spec.input.data_type != dnnl_bf16;
}

// Whether the features of the images are their batch, as far as that can be told.
bool MayBeKernelGradient(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  if (op.Get<Attr::kFeatureGroupCount>() != 1) return false;
  if (op.Get<Attr::kBatchGroupCount>() > 1) return true;
  double window = 1, places = 1;
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    window *= static_cast<double>(op.operand_shape(1).dim(numbers.kernel_spatial[d]));
    places *= static_cast<double>(op.written_shape()->dim(numbers.output_spatial[d]));
  }
  // Batches come before features.
  return numbers.input_batch > numbers.input_feature && window >= places;
}

}  // namespace

// --- What is to be done

bool ConvolutionSpec::SetGroups(const OpView& op) {
  const bool is_kernel_gradient = role == ConvolutionRole::kKernelGradient;
  group_count =
      is_kernel_gradient ? op.Get<Attr::kBatchGroupCount>() : op.Get<Attr::kFeatureGroupCount>();
  group_outputs =
      op.operand_shape(1).dim(op.Get<Attr::kDimLabels>().kernel_output_feature) / group_count;
  return (is_kernel_gradient ? op.Get<Attr::kFeatureGroupCount>()
                             : op.Get<Attr::kBatchGroupCount>()) == 1;
}

bool ConvolutionSpec::SetWindow(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Shape &input_shape = op.operand_shape(0), &filter = op.operand_shape(1);
  const auto& window = op.Get<Attr::kWindow>();
  double window_size = 1;
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    window_size *= static_cast<double>(dimension.size);
    if (!AddWindow(dimension, input_shape.dim(numbers.input_spatial[d]),
                   op.written_shape()->dim(numbers.output_spatial[d]), *this)) {
      return false;
    }
  }
  // Each place of a window multiplies all features of a group with each other.
  const bool is_image_gradient = role == ConvolutionRole::kImageGradient;
  const Shape& places = is_image_gradient ? input_shape : *op.written_shape();
  const int64_t partners =
      is_image_gradient ? group_outputs : filter.dim(numbers.kernel_input_feature);
  products =
      static_cast<double>(*ElementCount(places)) * window_size * static_cast<double>(partners);
  return true;
}

// Some processors multiply bf16, but f32 faster. With next to no features in a group, and where
// gradients are of single places with holes between them or of few features, memory limits.
bool ConvolutionSpec::HasToWiden() const {
  constexpr int64_t kFewOutputs = 128;
  if (HasFastBf16Products()) return false;
  if (!HasAvx512()) return true;
  if (has_thin_groups()) return false;
  if (role == ConvolutionRole::kResult || window_size > 1) return true;
  const bool skips = std::ranges::any_of(strides, [](int64_t stride) { return stride > 1; });
  return !skips && group_outputs > kFewOutputs;
}

dnnl_data_type_t ConvolutionSpec::TypeOf(const Shape& shape) const {
  return is_widened || shape.element_type() == ElementType::kF32 ? dnnl_f32 : dnnl_bf16;
}

bool ConvolutionSpec::SetLayouts(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Shape &image = op.operand_shape(0), &filter = op.operand_shape(1);
  const Shape& made = *op.written_shape();
  if (role == ConvolutionRole::kKernelGradient) {
    SetParts(op);
    return products / static_cast<double>(part_count * sum_count) <= kMaxPartProducts &&
           SetPartLayouts(op);
  }
  const Dimensions images = ImagesOf(image, image.dim(numbers.input_batch), numbers.input_batch,
                                     numbers.input_feature, numbers.input_spatial);
  const Dimensions results = ImagesOf(made, made.dim(numbers.output_batch), numbers.output_batch,
                                      numbers.output_feature, numbers.output_spatial);
  // To a convolution the output features of its gradient are inputs.
  const bool is_forward = role == ConvolutionRole::kResult;
  const int64_t outputs = numbers.kernel_output_feature, inputs = numbers.kernel_input_feature;
  const KernelDimensions seen = {is_forward ? outputs : inputs, is_forward ? inputs : outputs,
                                 numbers.kernel_spatial, is_forward};
  return SetLayout(TypeOf(image), images, input) &&
         SetLayout(TypeOf(filter), KernelOf(filter, seen, group_count), kernel) &&
         SetLayout(TypeOf(made), results, result);
}

// So that parts of the same number of rows can be made of any image. Where images have to be
// brought into another layout longer rows win nothing.
void ConvolutionSpec::MergeSpatial() {
  if (role == ConvolutionRole::kKernelGradient || window_size != 1 || !has_dense_features()) return;
  const auto is_plain = [&](size_t d) {
    return strides[d] == 1 && padding_low[d] == 0 && padding_high[d] == 0;
  };
  while (strides.size() > 1 && is_plain(strides.size() - 1) && is_plain(strides.size() - 2)) {
    const std::optional<Layout> merged_input = WithLastMerged(input),
                                merged_result = WithLastMerged(result),
                                merged_kernel = WithLastMerged(kernel);
    if (!merged_input || !merged_result || !merged_kernel) return;
    input = *merged_input;
    result = *merged_result;
    kernel = *merged_kernel;
    for (auto* of_dimensions : {&strides, &dilations, &padding_low, &padding_high}) {
      of_dimensions->pop_back();
    }
  }
}

// Of lines the library has no kernels that are made for next to no features in a group: the others
// multiply vectors most of which are none. So lines are images of one row.
void ConvolutionSpec::AddRow() {
  if (role != ConvolutionRole::kResult || !has_thin_groups() || strides.size() != 1) return;
  const std::optional<Layout> row_input = WithRow(input), row_kernel = WithRow(kernel),
                              row_result = WithRow(result);
  if (!row_input || !row_kernel || !row_result) return;
  input = *row_input;
  kernel = *row_kernel;
  result = *row_result;
  strides.insert(strides.begin(), 1);
  for (auto* of_dimensions : {&dilations, &padding_low, &padding_high}) {
    of_dimensions->insert(of_dimensions->begin(), 0);
  }
}

int64_t ConvolutionSpec::FirstInputRow(int64_t row) const {
  return std::max<int64_t>(0, row * strides[0] - padding_low[0]);
}

std::optional<ConvolutionSpec> ConvolutionSpec::PieceOf(const ConvolutionPiece& piece) const {
  ConvolutionSpec part = *this;
  std::array<std::vector<int64_t>, 3> sizes;  // of input, kernel, result
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Layout& whole = i == 0 ? input : i == 1 ? kernel : result;
    sizes[i].assign(whole.dims, whole.dims + whole.ndims);
  }
  sizes[0][0] = sizes[2][0] = piece.images;
  if (group_count > 1) sizes[0][1] = piece.features * (sizes[0][1] / group_count);
  sizes[1][static_cast<size_t>(feature_dimension())] = piece.features;
  sizes[2][1] = group_count > 1 ? piece.features * (sizes[2][1] / group_count) : piece.features;
  if (group_count > 1) part.group_count = piece.features;
  if (piece.rows < result.dims[2]) {
    const int64_t reach = (kernel.dims[kernel.ndims - (result.ndims - 2)] - 1) * (dilations[0] + 1);
    const int64_t begin = piece.first_row * strides[0] - padding_low[0];
    const int64_t end = begin + (piece.rows - 1) * strides[0] + reach + 1;
    part.padding_low[0] = std::max<int64_t>(0, -begin);
    part.padding_high[0] = std::max<int64_t>(0, end - input.dims[2]);
    sizes[0][2] = std::min(end, input.dims[2]) - std::max<int64_t>(begin, 0);
    sizes[2][2] = piece.rows;
  }
  const auto part_input = WithSizes(input, sizes[0]), part_kernel = WithSizes(kernel, sizes[1]),
             part_result = WithSizes(result, sizes[2]);
  if (!part_input || !part_kernel || !part_result) return std::nullopt;
  part.input = *part_input;
  part.kernel = *part_kernel;
  part.result = *part_result;
  return part;
}

std::optional<ConvolutionSpec> ConvolutionSpec::Make(const OpView& op, ConvolutionRole role) {
  ConvolutionSpec spec;
  spec.role = role;
  if (!spec.SetGroups(op) || !spec.SetWindow(op)) return std::nullopt;
  spec.is_widened = op.operand_shape(0).element_type() == ElementType::kBf16 && spec.HasToWiden();
  if (!spec.SetLayouts(op) || !StaysInMemory(spec)) return std::nullopt;
  spec.MergeSpatial();
  spec.AddRow();
  return spec;
}

bool HasHoles(const OpView& op) {
  return std::ranges::any_of(op.Get<Attr::kWindow>().dimensions,
                             [](const WindowDimension& d) { return d.base_dilation > 1; });
}

std::vector<ConvolutionSpec> ConvolutionSpec::MakeAll(const OpView& op) {
  if (op.operand_count() != 2 || !AreArraysFine(op)) return {};  // sparse, or others
  // The sizes of gradients may fit another formula.
  const ConvolutionKind kind = op.Get<Attr::kConvolutionKind>();
  if (kind != ConvolutionKind::kUnset && kind != ConvolutionKind::kFprop) return {};
  const size_t rank = op.Get<Attr::kDimLabels>().input_spatial.size();
  if (rank < 1 || rank > 3) return {};
  std::vector<ConvolutionRole> roles;
  if (MayBeKernelGradient(op)) roles.push_back(ConvolutionRole::kKernelGradient);
  roles.push_back(HasHoles(op) ? ConvolutionRole::kImageGradient : ConvolutionRole::kResult);
  std::vector<ConvolutionSpec> specs;
  for (ConvolutionRole role : roles) {
    if (auto spec = Make(op, role)) specs.push_back(*std::move(spec));
  }
  return specs;
}

int ConvolutionSpec::input_argument() const {
  return role == ConvolutionRole::kImageGradient ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC;
}

int ConvolutionSpec::kernel_argument() const {
  return role == ConvolutionRole::kKernelGradient ? DNNL_ARG_DIFF_DST : DNNL_ARG_WEIGHTS;
}

int ConvolutionSpec::result_argument() const {
  switch (role) {
    case ConvolutionRole::kImageGradient:
      return DNNL_ARG_DIFF_SRC;
    case ConvolutionRole::kKernelGradient:
      return DNNL_ARG_DIFF_WEIGHTS;
    case ConvolutionRole::kResult:
      break;
  }
  return DNNL_ARG_DST;
}

bool ConvolutionSpec::has_dense_features() const {
  return input.format_desc.blocking.strides[1] == 1 && result.format_desc.blocking.strides[1] == 1;
}

bool ConvolutionSpec::is_plain_product() const {
  return group_count == 1 && window_size == 1 && strides.size() == 1 && strides[0] == 1 &&
         has_dense_features();
}

bool ConvolutionSpec::flips_kernel() const { return std::ranges::find(flips, true) != flips.end(); }

bool ConvolutionSpec::has_padding() const {
  if (role == ConvolutionRole::kImageGradient) return true;
  const auto is_positive = [](int64_t size) { return size > 0; };
  return std::ranges::any_of(padding_low, is_positive) ||
         std::ranges::any_of(padding_high, is_positive);
}

}  // namespace hlo::simd::onednn
