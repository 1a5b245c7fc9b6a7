// Any order of an array's dimensions is a matter of strides; oneDNN names them batch, features,
// spatial, and the kernel's group, output features, input features, spatial. Its kernels take
// images with features last, and windows that stand on at least one element in each dimension;
// where they have nothing fast for the order of the arrays, both sides are reordered.
//
// A convolution over an input with holes is the gradient of another one by its images: holes are
// that one's strides, and the kernel is seen from the other side. The gradient by a kernel is
// written as a convolution of the images, with batch and features in exchanged roles, by the
// result's gradient: the window has as many elements as that, its dilations are the strides.
#include "interp/simd/onednn/convolution_form.h"

#include <algorithm>
#include <array>

#include "interp/reference/strided_copy.h"
#include "interp/simd/instruction_set.h"
#include "ir/window_dimension.h"

namespace hlo::simd::onednn {
namespace {

using reference::DenseStrides;

// What is too much for a part of a kernel's gradient, since nothing stops a run in the middle of
// one.
constexpr double kMaxPartProducts = 0x1p33;

// As what the library gets such arrays (wide_arrays.h).
std::optional<ElementType> TypeForLibrary(ElementType type) {
  if (type == ElementType::kF32) return type;
  if (type != ElementType::kBf16) return std::nullopt;
  return HasAvx512() ? type : ElementType::kF32;
}

dnnl_data_type_t DataType(ElementType type) {
  return *TypeForLibrary(type) == ElementType::kF32 ? dnnl_f32 : dnnl_bf16;
}

int64_t ByteSizeForLibrary(const Shape& shape) {
  return ElementByteSize(*TypeForLibrary(shape.element_type()));
}

// The dimensions of an array, as they are added, and their strides.
struct Dimensions {
  void Add(const Shape& shape, const Index& all_strides, int64_t d) {
    Add(shape.dim(d), all_strides[static_cast<size_t>(d)]);
  }
  void Add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }

  std::vector<int64_t> sizes, strides;
};

Dimensions ImagesOf(const Shape& shape, int64_t image_count, int64_t batch, int64_t feature,
                    const IntList& spatial) {
  const Index strides = DenseStrides(shape.dims());
  Dimensions dimensions;
  dimensions.Add(image_count, strides[static_cast<size_t>(batch)]);
  dimensions.Add(shape, strides, feature);
  for (int64_t d : spatial) dimensions.Add(shape, strides, d);
  return dimensions;
}

// Where a kernel has its features, and whose of them are all those of a group after the other.
struct KernelDimensions {
  int64_t outputs, inputs;
  const IntList& spatial;
  bool are_outputs_grouped = true;
};

Dimensions KernelOf(const Shape& shape, const KernelDimensions& kernel, int64_t groups) {
  const Index strides = DenseStrides(shape.dims());
  const int64_t grouped = kernel.are_outputs_grouped ? kernel.outputs : kernel.inputs;
  const int64_t group_size = shape.dim(grouped) / groups;
  const int64_t group_stride = strides[static_cast<size_t>(grouped)];
  Dimensions dimensions;
  if (groups > 1) dimensions.Add(groups, group_size * group_stride);
  for (int64_t d : {kernel.outputs, kernel.inputs}) {
    dimensions.Add(d == grouped ? group_size : shape.dim(d), strides[static_cast<size_t>(d)]);
  }
  for (int64_t d : kernel.spatial) dimensions.Add(shape, strides, d);
  return dimensions;
}

bool SetLayout(const Shape& shape, const Dimensions& dimensions, Layout& layout) {
  const std::optional<Layout> made =
      StridedLayout(DataType(shape.element_type()), dimensions.sizes, dimensions.strides);
  if (!made) return false;
  layout = *made;
  return true;
}

// The last two dimensions as one; nothing where elements are not spaced evenly over both.
std::optional<Layout> WithLastMerged(const Layout& layout) {
  const int last = layout.ndims - 1;
  const dnnl_dim_t* const all_strides = layout.format_desc.blocking.strides;
  const int64_t size = layout.dims[last];
  const bool are_even =
      size == 1 || layout.dims[last - 1] == 1 || all_strides[last - 1] == all_strides[last] * size;
  if (!are_even) return std::nullopt;
  std::vector<int64_t> sizes(layout.dims, layout.dims + last);
  std::vector<int64_t> strides(all_strides, all_strides + last);
  if (size > 1) strides.back() = all_strides[last];
  sizes.back() *= size;
  return StridedLayout(layout.data_type, sizes, strides);
}

// With a dimension of one element before the last.
std::optional<Layout> WithRow(const Layout& layout) {
  const int last = layout.ndims - 1;
  const dnnl_dim_t* const all_strides = layout.format_desc.blocking.strides;
  std::vector<int64_t> sizes(layout.dims, layout.dims + layout.ndims);
  std::vector<int64_t> strides(all_strides, all_strides + layout.ndims);
  sizes.insert(sizes.begin() + last, 1);
  strides.insert(strides.begin() + last, all_strides[last] * layout.dims[last]);
  return StridedLayout(layout.data_type, sizes, strides);
}

// Whether the library computes with such arrays.
bool AreArraysFine(const OpView& op) {
  const Shape &input = op.operand_shape(0), &kernel = op.operand_shape(1);
  const auto is_fine = [](const Shape& shape) {
    const int64_t count = ElementCount(shape).value_or(INT64_MAX);
    return !shape.HasDynamicDim() && TypeForLibrary(shape.element_type()) && count > 0 &&
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
  return SetLayout(image, images, input) &&
         SetLayout(filter, KernelOf(filter, seen, group_count), kernel) &&
         SetLayout(made, results, result);
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

// Images of the elements alone that windows of one element stand on. Left with strides, the library
// gathers them in gradients of 1x1 kernels, and where features are no multiple of its block oneDNN
// 2.6.3 writes past the end of its work memory.
void ConvolutionSpec::SkipStrides(const OpView& op, std::vector<int64_t>& image_sizes,
                                  std::vector<int64_t>& image_strides) {
  constexpr int64_t kLargestBlock = 16;
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  if (op.operand_shape(0).dim(numbers.input_batch) / group_count % kLargestBlock == 0) return;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (op.written_shape()->dim(numbers.output_spatial[d]) != 1) continue;
    image_sizes[d + 2] = op.operand_shape(1).dim(numbers.kernel_spatial[d]);
    image_strides[d + 2] *= strides[d];
    strides[d] = 1;
    padding_high[d] = 0;
  }
}

// As many equal parts as leave the library some work in each, eight at most: sizes alone decide.
// Sums over some of the images read these once, parts of the features all images; but sums have to
// be added, and so may not be large beside the images.
void ConvolutionSpec::SetParts(const OpView& op) {
  constexpr int64_t kLeastSums = 4, kMostParts = 8, kLeastFeatures = 32;
  constexpr double kMostOfImages = 0.3;  // in bytes
  const Shape &image = op.operand_shape(0), &gradient = op.operand_shape(1);
  if (group_count == 1) {
    const auto byte_size = [](const Shape& shape, ElementType type) {
      return static_cast<double>(*ElementCount(shape) * ElementByteSize(type));
    };
    const double all =
        byte_size(image, image.element_type()) + byte_size(gradient, gradient.element_type());
    const double most = kMostOfImages * all / byte_size(*op.written_shape(), ElementType::kF32);
    const int64_t images = image.dim(op.Get<Attr::kDimLabels>().input_feature);
    sum_count = static_cast<int64_t>(std::min({most, 1.0 * kMostParts, 1.0 * images}));
    while (sum_count >= kLeastSums && images % sum_count != 0) --sum_count;
    if (sum_count >= kLeastSums) return;
    sum_count = 1;
  }
  const int64_t features = group_count > 1 ? group_count : group_outputs;
  part_count = std::clamp<int64_t>(features / kLeastFeatures, 1, kMostParts);
  while (features % part_count != 0) --part_count;
}

bool ConvolutionSpec::SetPartLayouts(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Shape &image = op.operand_shape(0), &gradient = op.operand_shape(1);
  const Shape& made = *op.written_shape();
  // Features come second in images, and output features or groups first in kernels.
  const auto cut_by = [](Dimensions& dimensions, size_t d, int64_t count, const Shape& shape) {
    dimensions.sizes[d] /= count;
    return dimensions.sizes[d] * dimensions.strides[d] * ByteSizeForLibrary(shape);
  };
  const auto cut = [&](Dimensions& dimensions, size_t d, const Shape& shape) {
    return cut_by(dimensions, d, part_count, shape);
  };
  Dimensions images = ImagesOf(image, image.dim(numbers.input_feature), numbers.input_feature,
                               numbers.input_batch, numbers.input_spatial);
  SkipStrides(op, images.sizes, images.strides);
  if (group_count > 1) input_part_size = cut(images, 1, image);
  input_sum_size = cut_by(images, 0, sum_count, image);
  Dimensions results =
      ImagesOf(gradient, gradient.dim(numbers.kernel_input_feature), numbers.kernel_input_feature,
               numbers.kernel_output_feature, numbers.kernel_spatial);
  kernel_part_size = cut(results, 1, gradient);
  kernel_sum_size = cut_by(results, 0, sum_count, gradient);
  Dimensions kernels = KernelOf(
      made, {numbers.output_feature, numbers.output_batch, numbers.output_spatial}, group_count);
  result_part_size = cut(kernels, 0, made);
  return SetLayout(image, images, input) && SetLayout(gradient, results, kernel) &&
         SetLayout(made, kernels, result);
}

std::optional<ConvolutionSpec> ConvolutionSpec::Make(const OpView& op, ConvolutionRole role) {
  ConvolutionSpec spec;
  spec.role = role;
  spec.is_widened = DataType(op.operand_shape(0).element_type()) == dnnl_f32 &&
                    op.operand_shape(0).element_type() != ElementType::kF32;
  if (!spec.SetGroups(op) || !spec.SetWindow(op) || !spec.SetLayouts(op) || !StaysInMemory(spec)) {
    return std::nullopt;
  }
  spec.MergeSpatial();
  spec.AddRow();
  return spec;
}

std::vector<ConvolutionSpec> ConvolutionSpec::MakeAll(const OpView& op) {
  if (op.operand_count() != 2 || !AreArraysFine(op)) return {};  // sparse, or others
  // The sizes of gradients may fit another formula.
  const ConvolutionKind kind = op.Get<Attr::kConvolutionKind>();
  if (kind != ConvolutionKind::kUnset && kind != ConvolutionKind::kFprop) return {};
  const size_t rank = op.Get<Attr::kDimLabels>().input_spatial.size();
  if (rank < 1 || rank > 3) return {};
  const bool has_holes =
      std::ranges::any_of(op.Get<Attr::kWindow>().dimensions,
                          [](const WindowDimension& d) { return d.base_dilation > 1; });
  std::vector<ConvolutionRole> roles;
  if (MayBeKernelGradient(op)) roles.push_back(ConvolutionRole::kKernelGradient);
  roles.push_back(has_holes ? ConvolutionRole::kImageGradient : ConvolutionRole::kResult);
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
