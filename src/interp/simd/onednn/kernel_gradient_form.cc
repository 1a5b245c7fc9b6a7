// How the gradient of a kernel is cut into parts that the library makes, and where these lie.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "interp/simd/onednn/convolution_form.h"
#include "interp/simd/onednn/convolution_layouts.h"

namespace hlo::simd::onednn {

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
  const auto cut_by = [&](Dimensions& dimensions, size_t d, int64_t count, const Shape& shape) {
    dimensions.sizes[d] /= count;
    return dimensions.sizes[d] * dimensions.strides[d] * ElementSize(TypeOf(shape));
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
  return SetLayout(TypeOf(image), images, input) && SetLayout(TypeOf(gradient), results, kernel) &&
         SetLayout(TypeOf(made), kernels, result);
}

}  // namespace hlo::simd::onednn
