// Any order of an array's dimensions is a matter of strides; oneDNN names them batch, features,
// spatial, and the kernel's group, output features, input features, spatial. Its kernels take
// images with features last, and windows that stand on at least one element in each dimension;
// where they have nothing fast for the order of the arrays, both sides are reordered.
//
// A convolution over an input with holes is the gradient of another one by its images: holes are
// that one's strides, and the kernel is seen from the other side.
#include "interp/simd/onednn/convolution_form.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "interp/reference/strided_copy.h"
#include "ir/window_dimension.h"

namespace hlo::simd::onednn {
namespace {

using reference::DenseStrides;

// What a piece takes at most, unless it is one image: some 10 ms of a processor.
constexpr double kPieceProducts = 0x1p30;
// What is too much for an image, since nothing stops a run in the middle of one.
constexpr double kMaxImageProducts = 0x1p33;

std::optional<dnnl_data_type_t> DataType(ElementType type) {
  if (type == ElementType::kF32) return dnnl_f32;
  if (type == ElementType::kBf16) return dnnl_bf16;
  return std::nullopt;
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

// Output features first, as seen by the convolution that the library does or whose gradient it is:
// to that the output features of a gradient are inputs.
Dimensions KernelOf(const Shape& shape, const ConvolutionDimensionNumbers& numbers, int64_t groups,
                    bool is_gradient) {
  const Index strides = DenseStrides(shape.dims());
  const int64_t outputs = shape.dim(numbers.kernel_output_feature) / groups;
  const int64_t output_stride = strides[static_cast<size_t>(numbers.kernel_output_feature)];
  Dimensions dimensions;
  if (groups > 1) dimensions.Add(groups, outputs * output_stride);
  if (!is_gradient) dimensions.Add(outputs, output_stride);
  dimensions.Add(shape, strides, numbers.kernel_input_feature);
  if (is_gradient) dimensions.Add(outputs, output_stride);
  for (int64_t d : numbers.kernel_spatial) dimensions.Add(shape, strides, d);
  return dimensions;
}

// Its kernels count bytes in 32 bits.
bool SetLayout(const Shape& shape, const Dimensions& dimensions, Layout& layout) {
  const std::optional<Layout> made =
      StridedLayout(*DataType(shape.element_type()), dimensions.sizes, dimensions.strides);
  if (!made || ByteSizeOf(*made) > INT32_MAX) return false;
  layout = *made;
  return true;
}

// Whether the library computes with such arrays.
bool AreArraysFine(const OpView& op) {
  const Shape &input = op.operand_shape(0), &kernel = op.operand_shape(1);
  const auto is_fine = [](const Shape& shape) {
    const int64_t count = ElementCount(shape).value_or(INT64_MAX);
    return !shape.HasDynamicDim() && DataType(shape.element_type()) && count > 0 &&
           count < (int64_t{1} << 40);
  };
  const Shape& result = *op.written_shape();
  return is_fine(input) && is_fine(kernel) && is_fine(result) &&
         input.element_type() == kernel.element_type() &&
         (result.element_type() == input.element_type() ||
          result.element_type() == ElementType::kF32);
}

int64_t PieceCount(int64_t image_count, double image_products) {
  int64_t count =
      std::min(image_count, std::max<int64_t>(1, std::llround(kPieceProducts / image_products)));
  while (image_count % count != 0) --count;
  return count;
}

// Adds a dimension of the window; false for what the library does not do.
bool AddWindow(const WindowDimension& window, int64_t input, int64_t output,
               ConvolutionSpec& spec) {
  // The library counts most of this in 32 bits, and sums of it fit 64.
  for (int64_t number : {window.size, window.stride, window.window_dilation, window.base_dilation,
                         window.padding_low, window.padding_high}) {
    if (number > INT32_MAX || number < INT32_MIN) return false;
  }
  const int64_t reach = (window.size - 1) * window.window_dilation;
  const int64_t stride = spec.is_gradient ? window.base_dilation : window.stride;
  if ((spec.is_gradient ? window.stride : window.base_dilation) != 1) return false;
  // A gradient is padded by what the convolution's window reaches beyond its padding.
  const int64_t low = spec.is_gradient ? reach - window.padding_low : window.padding_low;
  const int64_t image = spec.is_gradient ? output : input;
  const int64_t places = spec.is_gradient ? input : output;
  const int64_t high = (places - 1) * stride + reach + 1 - image - low;
  if (low < 0 || low > reach || high > reach || high <= -stride) return false;
  spec.strides.push_back(stride);
  spec.dilations.push_back(window.window_dilation - 1);
  spec.padding_low.push_back(low);
  spec.padding_high.push_back(high);  // below 0 for what no window reaches
  spec.flips.push_back(window.reversal != spec.is_gradient);
  return true;
}

bool IsFast(const Form& form) {
  const std::string_view name = form.implementation();
  return !name.starts_with("ref") && name.find("gemm") == std::string_view::npos;
}

bool AddReorders(const ConvolutionSpec& spec, ConvolutionForms& forms) {
  const auto add = [](const Layout& from, const Layout& to, std::shared_ptr<const Form>& form) {
    if (AreSame(from, to)) return true;
    form = Form::MakeReorder(from, to);
    return form != nullptr;
  };
  const Form& convolution = *forms.convolution;
  return add(spec.input, convolution.layout(spec.input_argument()), forms.input_reorder) &&
         add(spec.kernel, convolution.layout(DNNL_ARG_WEIGHTS), forms.kernel_reorder) &&
         add(convolution.layout(spec.result_argument()), spec.result, forms.result_reorder);
}

std::shared_ptr<const Form> MakeForward(const ConvolutionSpec& spec, dnnl_prop_kind_t kind,
                                        const Layout& images, const Layout& results) {
  const Layout kernel = OpenLayout(spec.kernel);
  dnnl_convolution_desc_t descriptor;
  const dnnl_status_t status = FindLibrary()->dnnl_dilated_convolution_forward_desc_init(
      &descriptor, kind, dnnl_convolution_direct, &images, &kernel, /*bias_desc=*/nullptr, &results,
      spec.strides.data(), spec.dilations.data(), spec.padding_low.data(),
      spec.padding_high.data());
  return status == dnnl_success ? Form::Make(&descriptor) : nullptr;
}

std::shared_ptr<const Form> MakeGradient(const ConvolutionSpec& spec, const Layout& results,
                                         const Layout& images) {
  const auto forward = MakeForward(spec, dnnl_forward_training, images, results);
  if (forward == nullptr) return nullptr;
  const Layout kernel = OpenLayout(spec.kernel);
  dnnl_convolution_desc_t descriptor;
  const dnnl_status_t status = FindLibrary()->dnnl_dilated_convolution_backward_data_desc_init(
      &descriptor, dnnl_convolution_direct, &images, &kernel, &results, spec.strides.data(),
      spec.dilations.data(), spec.padding_low.data(), spec.padding_high.data());
  return status == dnnl_success ? Form::Make(&descriptor, forward.get()) : nullptr;
}

std::shared_ptr<const Form> MakeForm(const ConvolutionSpec& spec, const Layout& input,
                                     const Layout& result) {
  auto form = spec.is_gradient ? MakeGradient(spec, input, result)
                               : MakeForward(spec, dnnl_forward_inference, input, result);
  return form != nullptr && IsFast(*form) ? form : nullptr;
}

}  // namespace

// --- What is to be done

bool ConvolutionSpec::SetWindow(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Shape &input_shape = op.operand_shape(0), &filter = op.operand_shape(1);
  const auto& window = op.Get<Attr::kWindow>();
  is_gradient = std::ranges::any_of(window.dimensions,
                                    [](const WindowDimension& d) { return d.base_dilation > 1; });
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
  const Shape& places = is_gradient ? input_shape : *op.written_shape();
  const int64_t partners =
      is_gradient ? filter.dim(numbers.kernel_output_feature) / op.Get<Attr::kFeatureGroupCount>()
                  : filter.dim(numbers.kernel_input_feature);
  products =
      static_cast<double>(*ElementCount(places)) * window_size * static_cast<double>(partners);
  return true;
}

bool ConvolutionSpec::SetPieces(const OpView& op) {
  image_count = op.operand_shape(0).dim(op.Get<Attr::kDimLabels>().input_batch);
  const double image_products = products / static_cast<double>(image_count);
  if (image_products > kMaxImageProducts) return false;
  piece_count = PieceCount(image_count, image_products);
  return true;
}

bool ConvolutionSpec::SetLayouts(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Shape &image = op.operand_shape(0), &filter = op.operand_shape(1);
  const int64_t groups = op.Get<Attr::kFeatureGroupCount>();
  group_outputs = filter.dim(numbers.kernel_output_feature) / groups;
  const Dimensions images = ImagesOf(image, piece_count, numbers.input_batch, numbers.input_feature,
                                     numbers.input_spatial);
  const Dimensions results = ImagesOf(*op.written_shape(), piece_count, numbers.output_batch,
                                      numbers.output_feature, numbers.output_spatial);
  input_image_size = images.strides[0] * ElementByteSize(image.element_type());
  result_image_size = results.strides[0] * ElementByteSize(op.written_shape()->element_type());
  return SetLayout(image, images, input) &&
         SetLayout(filter, KernelOf(filter, numbers, groups, is_gradient), kernel) &&
         SetLayout(*op.written_shape(), results, result);
}

std::optional<ConvolutionSpec> ConvolutionSpec::Make(const OpView& op) {
  if (op.operand_count() != 2 || !AreArraysFine(op)) return std::nullopt;  // sparse, or others
  // The sizes of gradients may fit another formula.
  const ConvolutionKind kind = op.Get<Attr::kConvolutionKind>();
  if (kind != ConvolutionKind::kUnset && kind != ConvolutionKind::kFprop) return std::nullopt;
  const size_t rank = op.Get<Attr::kDimLabels>().input_spatial.size();
  if (rank < 1 || rank > 3 || op.Get<Attr::kBatchGroupCount>() != 1) return std::nullopt;
  ConvolutionSpec spec;
  if (!spec.SetWindow(op) || !spec.SetPieces(op) || !spec.SetLayouts(op)) return std::nullopt;
  return spec;
}

bool ConvolutionSpec::flips_kernel() const { return std::ranges::find(flips, true) != flips.end(); }

bool ConvolutionSpec::has_padding() const {
  if (is_gradient) return true;
  const auto is_positive = [](int64_t size) { return size > 0; };
  return std::ranges::any_of(padding_low, is_positive) ||
         std::ranges::any_of(padding_high, is_positive);
}

// --- Who does it

std::optional<ConvolutionForms> ConvolutionForms::Make(const ConvolutionSpec& spec) {
  ConvolutionForms forms;
  forms.convolution = MakeForm(spec, spec.input, spec.result);
  if (forms.convolution == nullptr) {
    forms.convolution = MakeForm(spec, OpenLayout(spec.input), OpenLayout(spec.result));
  }
  if (forms.convolution == nullptr) return std::nullopt;
  if (!AddReorders(spec, forms)) return std::nullopt;
  return forms;
}

}  // namespace hlo::simd::onednn
