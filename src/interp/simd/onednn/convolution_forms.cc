// Which primitives do what a ConvolutionSpec says: the library is asked for its fast
// implementations with arrays as they lie, and then with layouts of its own choice.
#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "interp/simd/onednn/convolution_form.h"

namespace hlo::simd::onednn {
namespace {

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
         add(spec.kernel, convolution.layout(spec.kernel_argument()), forms.kernel_reorder) &&
         add(convolution.layout(spec.result_argument()), spec.result, forms.result_reorder);
}

using FormPtr = std::shared_ptr<const Form>;

FormPtr MakeForward(const ConvolutionSpec& spec, dnnl_prop_kind_t kind, const Layout& images,
                    const Layout& kernel, const Layout& results) {
  dnnl_convolution_desc_t descriptor;
  const dnnl_status_t status = FindLibrary()->dnnl_dilated_convolution_forward_desc_init(
      &descriptor, kind, dnnl_convolution_direct, &images, &kernel, /*bias_desc=*/nullptr, &results,
      spec.strides.data(), spec.dilations.data(), spec.padding_low.data(),
      spec.padding_high.data());
  return status == dnnl_success ? Form::Make(&descriptor) : nullptr;
}

FormPtr MakeImageGradient(const ConvolutionSpec& spec, const Layout& results, const Layout& kernel,
                          const Layout& images) {
  const auto forward = MakeForward(spec, dnnl_forward_training, images, kernel, results);
  if (forward == nullptr) return nullptr;
  dnnl_convolution_desc_t descriptor;
  const dnnl_status_t status = FindLibrary()->dnnl_dilated_convolution_backward_data_desc_init(
      &descriptor, dnnl_convolution_direct, &images, &kernel, &results, spec.strides.data(),
      spec.dilations.data(), spec.padding_low.data(), spec.padding_high.data());
  return status == dnnl_success ? Form::Make(&descriptor, forward.get()) : nullptr;
}

FormPtr MakeKernelGradient(const ConvolutionSpec& spec, const Layout& images, const Layout& results,
                           const Layout& kernel) {
  Layout own_kernel = kernel;  // the gradient may be wider
  own_kernel.data_type = images.data_type;
  const auto forward = MakeForward(spec, dnnl_forward_training, images, own_kernel, results);
  if (forward == nullptr) return nullptr;
  dnnl_convolution_desc_t descriptor;
  const dnnl_status_t status = FindLibrary()->dnnl_dilated_convolution_backward_weights_desc_init(
      &descriptor, dnnl_convolution_direct, &images, &kernel, /*diff_bias_desc=*/nullptr, &results,
      spec.strides.data(), spec.dilations.data(), spec.padding_low.data(),
      spec.padding_high.data());
  return status == dnnl_success ? Form::Make(&descriptor, forward.get()) : nullptr;
}

FormPtr MakeForm(const ConvolutionSpec& spec, const Layout& input, const Layout& kernel,
                 const Layout& result) {
  switch (spec.role) {
    case ConvolutionRole::kResult:
      return MakeForward(spec, dnnl_forward_inference, input, kernel, result);
    case ConvolutionRole::kImageGradient:
      return MakeImageGradient(spec, input, kernel, result);
    case ConvolutionRole::kKernelGradient:
      return MakeKernelGradient(spec, input, kernel, OpenLayout(result));
  }
  return nullptr;
}

// The kernel's features innermost, outputs within inputs: as the library's gradients by products
// take it.
std::optional<Layout> FeaturesInnermost(const Layout& kernel) {
  const std::span sizes(kernel.dims, static_cast<size_t>(kernel.ndims));
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = sizes[0] * sizes[1];
  for (size_t d = sizes.size(); d-- > 2; stride *= sizes[d]) strides[d] = stride;
  strides[0] = 1;
  strides[1] = sizes[0];
  return StridedLayout(kernel.data_type, sizes, strides);
}

// The gradient by images of next to no features, as products whose terms are then added up: the
// library's other implementations make whole vectors of features. Of bf16 they are mostly faster.
FormPtr MakeThinImageGradient(const ConvolutionSpec& spec, const Layout& input,
                              const Layout& result) {
  constexpr int64_t kFewFeatures = 4;
  if (spec.role != ConvolutionRole::kImageGradient || spec.group_count > 1 ||
      spec.result.dims[1] > kFewFeatures || spec.input.data_type != dnnl_f32) {
    return nullptr;
  }
  const std::optional<Layout> kernel = FeaturesInnermost(spec.kernel);
  FormPtr form = kernel ? MakeForm(spec, input, *kernel, result) : nullptr;
  return form != nullptr && !form->implementation().starts_with("ref") ? form : nullptr;
}

FormPtr MakeFastForm(const ConvolutionSpec& spec, const Layout& input, const Layout& kernel,
                     const Layout& result) {
  FormPtr form = MakeForm(spec, input, kernel, result);
  return form != nullptr && IsFast(*form) ? form : nullptr;
}

// The same order of dimensions without gaps between elements, as which a part can be copied.
Layout DenseLayout(const Layout& layout) {
  const auto rank = static_cast<size_t>(layout.ndims);
  std::vector<size_t> inner_first(rank);
  std::iota(inner_first.begin(), inner_first.end(), size_t{0});
  const dnnl_dim_t* const strides = layout.format_desc.blocking.strides;
  std::ranges::stable_sort(inner_first, [&](size_t a, size_t b) {
    return strides[a] != strides[b] ? strides[a] < strides[b] : layout.dims[a] < layout.dims[b];
  });
  std::vector<int64_t> dense(rank);
  int64_t stride = 1;
  for (size_t d : inner_first) {
    dense[d] = stride;
    stride *= layout.dims[d];
  }
  return StridedLayout(layout.data_type, std::span(layout.dims, rank), dense).value_or(layout);
}

std::optional<ConvolutionForms> MakeForms(const ConvolutionSpec& spec, const Layout* packed) {
  // Its kernels count bytes in 32 bits.
  for (const Layout& layout : {spec.input, spec.kernel, spec.result}) {
    if (ByteSizeOf(layout) > INT32_MAX) return std::nullopt;
  }
  // Kernels are taken as the library likes them, their gradients as they lie.
  const bool is_kernel_gradient = spec.role == ConvolutionRole::kKernelGradient;
  const Layout kernel = is_kernel_gradient  ? DenseLayout(spec.kernel)
                        : packed != nullptr ? *packed
                                            : OpenLayout(spec.kernel);
  Layout result = is_kernel_gradient ? spec.result : DenseLayout(spec.result);
  if (spec.sum_count > 1) result.data_type = dnnl_f32;  // rounded in the end
  ConvolutionForms forms;
  forms.convolution = MakeThinImageGradient(spec, DenseLayout(spec.input), result);
  if (forms.convolution == nullptr) {
    forms.convolution = MakeFastForm(spec, DenseLayout(spec.input), kernel, result);
  }
  if (forms.convolution == nullptr) {
    forms.convolution =
        MakeFastForm(spec, OpenLayout(spec.input),
                     is_kernel_gradient ? OpenLayout(spec.kernel) : kernel, OpenLayout(result));
  }
  if (forms.convolution == nullptr || !AddReorders(spec, forms)) return std::nullopt;
  return forms;
}

}  // namespace

std::optional<ConvolutionForms> ConvolutionForms::Make(const ConvolutionSpec& spec,
                                                       const Layout* kernel) {
  std::optional<ConvolutionForms> forms;
  WithOneThread(*FindLibrary(), [&] { forms = MakeForms(spec, kernel); });
  return forms;
}

std::string ConvolutionForms::Text() const {
  std::string text = fmt::format(", oneDNN {}", convolution->implementation());
  if (input_reorder != nullptr) text += ", input reordered";
  if (result_reorder != nullptr) text += ", result reordered";
  return text;
}

int64_t ConvolutionForms::scratch_byte_size() const {
  int64_t most = 0;
  for (const auto& form : {convolution, input_reorder, kernel_reorder, result_reorder}) {
    if (form != nullptr) most = std::max(most, form->scratch_byte_size());
  }
  return most;
}

}  // namespace hlo::simd::onednn
