// Bounds by measurement, of convolutions beside the library and by our own products. To make a
// primitive takes about a millisecond, which a single run does not win back unless it is long: so
// it matters how often a step will run.
#include "interp/simd/onednn/convolution_choice.h"

#include <algorithm>
#include <cstdint>

#include "interp/simd/instruction_set.h"
#include "interp/simd/product/product_dimensions.h"
#include "interp/simd/product/tile_kernels.h"

namespace hlo::simd::onednn {
namespace {

bool Skips(const ConvolutionSpec& spec) {
  return std::ranges::any_of(spec.strides, [](int64_t stride) { return stride > 1; });
}

// Pixels that lie whole pages apart meet in the same few lines of the first-level cache. The
// library takes more of them at a time than fit there, and waits for each again and again; we take
// few.
bool HasPixelsInSameLines(const ConvolutionSpec& spec) {
  constexpr int64_t kPageSize = 4096;
  const int last = spec.input.ndims - 1;
  const bool is_skipping = last >= 2 && spec.strides.back() > 1;
  const int64_t distance = spec.input.format_desc.blocking.strides[last] * spec.strides.back() *
                           static_cast<int64_t>(sizeof(float));
  return spec.role == ConvolutionRole::kResult && spec.input.data_type == dnnl_f32 &&
         spec.group_count == 1 && spec.window_size == 1 && is_skipping && distance % kPageSize == 0;
}

// Single places of images of f32 whose pixels lie side by side: the library turns images and
// results into its own layout and back, we multiply them as they lie. Few pixels are few for our
// vectors, and soon turned. (Without AVX-512 see IsForOwnVectors.)
bool HasManyPixelsInRows(const ConvolutionSpec& spec) {
  constexpr int64_t kManyPixels = 512;  // of an image
  if (!HasAvx512() || spec.role != ConvolutionRole::kResult || spec.window_size > 1 ||
      spec.group_count > 1 || spec.input.data_type != dnnl_f32 || spec.has_dense_features()) {
    return false;
  }
  int64_t pixels = 1;
  for (int d = 2; d < spec.result.ndims; ++d) pixels = Times(pixels, spec.result.dims[d]);
  return pixels >= kManyPixels;
}

// Gradients of kernels of bf16 as products in our matrix registers, where windows are single places
// or skip some, or many output features share what is packed of the images.
bool IsGradientForMatrixRegisters(const ConvolutionSpec& spec) {
  constexpr int64_t kManyOutputs = 512;
  if (spec.role != ConvolutionRole::kKernelGradient || spec.input.data_type != dnnl_bf16 ||
      spec.group_count > 1 || !HasMatrixRegisters()) {
    return false;
  }
  return spec.window_size == 1 || spec.group_outputs >= kManyOutputs || Skips(spec);
}

// A kernel of 1x1 that few pixels share, packed already, and so large that it comes from memory in
// every run of a model: the library waits for it, while our products ask for what they need next.
bool IsLimitedByKernel(const ConvolutionSpec& spec) {
  constexpr double kLargeKernel = 0x1p20;  // bytes
  constexpr double kFewPixels = 256;
  if (spec.role != ConvolutionRole::kResult || spec.input.data_type != dnnl_f32 ||
      spec.group_count > 1 || spec.window_size > 1 || !spec.is_kernel_fixed) {
    return false;
  }
  const double inputs = static_cast<double>(spec.input.dims[1]);
  const double outputs = static_cast<double>(spec.result.dims[1]);
  return inputs * outputs * sizeof(float) >= kLargeKernel &&
         spec.products <= kFewPixels * inputs * outputs;
}

// Single places of large images of bf16 that meet few output features: to make f32 of them all
// takes as long as a quarter of the products, which ours do as they go.
bool HasFewOutputsToWidenFor(const ConvolutionSpec& spec) {
  constexpr int64_t kFewOutputs = 128;
  constexpr double kLargeImages = 0x1p26;  // products
  return spec.is_widened && spec.role == ConvolutionRole::kResult && spec.window_size == 1 &&
         spec.result.dims[1] <= std::min(kFewOutputs, spec.input.dims[1]) &&
         spec.products >= kLargeImages;
}

constexpr int64_t kFewFeatures = 8;  // of which no whole vectors can be made

// Gradients of kernels, without AVX-512: features of all three arrays lie side by side, so that our
// products need nothing turned, and there is enough to do. Those of single places of f32, one
// behind the other, would mostly take as long as the library's or a tenth longer.
bool IsGradientForOwnVectors(const ConvolutionSpec& spec) {
  constexpr double kLeastProducts = 0x1p22;
  const auto stride = [](const Layout& layout, int d) {
    return layout.format_desc.blocking.strides[d];
  };
  return spec.role == ConvolutionRole::kKernelGradient && !HasAvx512() && spec.group_count == 1 &&
         stride(spec.input, 1) == 1 && stride(spec.kernel, 1) == 1 && stride(spec.result, 0) == 1 &&
         (spec.is_widened || spec.window_size > 1 || Skips(spec)) &&
         spec.group_outputs > kFewFeatures && spec.products >= kLeastProducts;
}

// Without AVX-512 our products take 0.6 to 0.95 of the time where there are windows of several
// places or such that skip some, and bf16 need not become f32 first. The library's are faster where
// pixels lie side by side and meet in windows (ours bring each into panels once for each place),
// where those in a row make a product, where it can skip holes, and where there are groups or few
// features. With AVX-512 ours are only single places of bf16 that had to become f32.
bool IsForOwnVectors(const ConvolutionSpec& spec) {
  const bool has_single_places = spec.role == ConvolutionRole::kResult && spec.window_size == 1;
  if (HasAvx512() && !(spec.is_widened && has_single_places)) return false;
  if (spec.role == ConvolutionRole::kKernelGradient || spec.group_count > 1) return false;
  if (std::min(spec.input.dims[1], spec.result.dims[1]) <= kFewFeatures) return false;
  if (spec.window_size > 1 && !spec.has_dense_features()) return false;
  const bool skips = Skips(spec);
  if (spec.role == ConvolutionRole::kImageGradient) return spec.window_size > 1 && !skips;
  return spec.window_size > 1 || skips || HasFewOutputsToWidenFor(spec);
}

bool IsWorthIt(const Plan& plan, double products, bool has_thin_groups, bool repeats) {
  if (plan.library_use == LibraryUse::kWherePossible) return true;
  if (repeats) return products >= 0x1p14;
  // With next to no features in a group our kernels do by far worse.
  return products >= (has_thin_groups ? 0x1p22 : 0x1p28);
}

// Next to no output features of single places: memory is what limits, and the library's vectors
// would be mostly empty.
bool HasFewOutputsOfPlaces(const ConvolutionSpec& spec) {
  return spec.role == ConvolutionRole::kResult && spec.window_size == 1 && spec.group_count == 1 &&
         spec.result.dims[1] <= (spec.has_dense_features() ? 1 : 8);
}

}  // namespace

bool IsFasterAsProduct(const ConvolutionSpec& spec) {
  return HasPixelsInSameLines(spec) || HasManyPixelsInRows(spec) || IsLimitedByKernel(spec) ||
         IsForOwnVectors(spec) || HasFewOutputsOfPlaces(spec) ||
         IsGradientForMatrixRegisters(spec) || IsGradientForOwnVectors(spec);
}

bool IsFasterAsDot(const ConvolutionSpec& spec) {
  constexpr double kFewPixels = 1024;
  const bool is_bf16 = spec.input.data_type == dnnl_bf16;
  if (spec.role != ConvolutionRole::kResult || !spec.is_plain_product() || spec.is_kernel_fixed ||
      !HasAvx512() || (is_bf16 && HasMatrixRegisters())) {
    return false;
  }
  const double kernel_size = static_cast<double>(spec.kernel.dims[0] * spec.kernel.dims[1]);
  return spec.products <= kFewPixels * kernel_size;
}

bool IsWorthIt(const Plan& plan, const ConvolutionSpec& spec, bool repeats) {
  return IsWorthIt(plan, spec.products, spec.has_thin_groups(), repeats);
}

bool MayBeWorthIt(const Plan& plan, const OpView& op, bool repeats) {
  const Shape& kernel = op.operand_shape(1);
  const int64_t outputs = kernel.dim(op.Get<Attr::kDimLabels>().kernel_output_feature);
  const int64_t groups =
      std::max(op.Get<Attr::kFeatureGroupCount>(), op.Get<Attr::kBatchGroupCount>());
  if (outputs == 0) return false;
  const auto count_of = [](const Shape& shape) {
    return static_cast<double>(ElementCount(shape).value_or(INT64_MAX));
  };
  // Gradients by images, which skip holes, have fewer.
  const double most =
      count_of(*op.written_shape()) * count_of(kernel) / static_cast<double>(outputs);
  return IsWorthIt(plan, most, HasThinGroups(groups, outputs / groups), repeats);
}

}  // namespace hlo::simd::onednn
