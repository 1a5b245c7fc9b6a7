// Any order of an array's dimensions is a matter of strides; oneDNN names them batch, features,
// spatial, and the kernel's group, output features, input features, spatial. Its kernels take
// images with features last, and windows that stand on at least one element in each dimension;
// where they have nothing fast for the order of the arrays, both sides are reordered.
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

Dimensions KernelOf(const Shape& shape, const ConvolutionDimensionNumbers& numbers,
                    int64_t groups) {
  const Index strides = DenseStrides(shape.dims());
  const int64_t outputs = shape.dim(numbers.kernel_output_feature) / groups;
  const int64_t output_stride = strides[static_cast<size_t>(numbers.kernel_output_feature)];
  Dimensions dimensions;
  if (groups > 1) dimensions.Add(groups, outputs * output_stride);
  dimensions.Add(outputs, output_stride);
  dimensions.Add(shape, strides, numbers.kernel_input_feature);
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
  for (int64_t number : {window.size, window.stride, window.window_dilation, window.padding_low,
                         window.padding_high}) {
    if (number > INT32_MAX || number < INT32_MIN) return false;
  }
  const int64_t reach = (window.size - 1) * window.window_dilation;
  const int64_t high = (output - 1) * window.stride + reach + 1 - input - window.padding_low;
  if (window.reversal || window.base_dilation != 1 || window.padding_low < 0 ||
      window.padding_low > reach || high > reach) {
    return false;
  }
  spec.strides.push_back(window.stride);
  spec.dilations.push_back(window.window_dilation - 1);
  spec.padding_low.push_back(window.padding_low);
  spec.padding_high.push_back(high);  // what no window reaches is cut off
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
  return add(spec.input, convolution.layout(DNNL_ARG_SRC), forms.input_reorder) &&
         add(spec.kernel, convolution.layout(DNNL_ARG_WEIGHTS), forms.kernel_reorder) &&
         add(convolution.layout(DNNL_ARG_DST), spec.result, forms.result_reorder);
}

std::shared_ptr<const Form> MakeForward(const ConvolutionSpec& spec, const Layout& input,
                                        const Layout& result) {
  const Layout kernel = OpenLayout(spec.kernel);
  dnnl_convolution_desc_t descriptor;
  const dnnl_status_t status = FindLibrary()->dnnl_dilated_convolution_forward_desc_init(
      &descriptor, dnnl_forward_inference, dnnl_convolution_direct, &input, &kernel,
      /*bias_desc=*/nullptr, &result, spec.strides.data(), spec.dilations.data(),
      spec.padding_low.data(), spec.padding_high.data());
  return status == dnnl_success ? Form::Make(&descriptor) : nullptr;
}

}  // namespace

// --- What is to be done

bool ConvolutionSpec::SetWindow(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  double window_size = 1;
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    const WindowDimension window =
        WindowDimensionAt(op.Get<Attr::kWindow>(), static_cast<int64_t>(d));
    window_size *= static_cast<double>(window.size);
    if (!AddWindow(window, op.operand_shape(0).dim(numbers.input_spatial[d]),
                   op.written_shape()->dim(numbers.output_spatial[d]), *this)) {
      return false;
    }
  }
  products = static_cast<double>(*ElementCount(*op.written_shape())) * window_size *
             static_cast<double>(op.operand_shape(1).dim(numbers.kernel_input_feature));
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
         SetLayout(filter, KernelOf(filter, numbers, groups), kernel) &&
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

bool ConvolutionSpec::has_padding() const {
  const auto is_positive = [](int64_t size) { return size > 0; };
  return std::ranges::any_of(padding_low, is_positive) ||
         std::ranges::any_of(padding_high, is_positive);
}

// --- Who does it

std::optional<ConvolutionForms> ConvolutionForms::Make(const ConvolutionSpec& spec) {
  ConvolutionForms forms;
  forms.convolution = MakeForward(spec, spec.input, spec.result);
  if (forms.convolution == nullptr || !IsFast(*forms.convolution)) {
    forms.convolution = MakeForward(spec, OpenLayout(spec.input), OpenLayout(spec.result));
  }
  if (forms.convolution == nullptr || !IsFast(*forms.convolution)) return std::nullopt;
  if (!AddReorders(spec, forms)) return std::nullopt;
  return forms;
}

}  // namespace hlo::simd::onednn
