// Any order of an array's dimensions is a matter of strides; oneDNN names them batch, features,
// spatial, and the kernel's group, output features, input features, spatial. Its kernels take
// images with features last, and windows that stand on at least one element in each dimension;
// where they have nothing fast for the order of the arrays, both sides are reordered.
#include "interp/simd/onednn/convolution_layouts.h"

#include "interp/reference/strided_copy.h"

namespace hlo::simd::onednn {

bool IsTypeForLibrary(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBf16;
}

int64_t ElementSize(dnnl_data_type_t type) { return type == dnnl_bf16 ? 2 : 4; }

Dimensions ImagesOf(const Shape& shape, int64_t image_count, int64_t batch, int64_t feature,
                    const IntList& spatial) {
  const Index strides = reference::DenseStrides(shape.dims());
  Dimensions dimensions;
  dimensions.Add(image_count, strides[static_cast<size_t>(batch)]);
  dimensions.Add(shape, strides, feature);
  for (int64_t d : spatial) dimensions.Add(shape, strides, d);
  return dimensions;
}

Dimensions KernelOf(const Shape& shape, const KernelDimensions& kernel, int64_t groups) {
  const Index strides = reference::DenseStrides(shape.dims());
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

bool SetLayout(dnnl_data_type_t type, const Dimensions& dimensions, Layout& layout) {
  const std::optional<Layout> made = StridedLayout(type, dimensions.sizes, dimensions.strides);
  if (!made) return false;
  layout = *made;
  return true;
}

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

std::optional<Layout> WithRow(const Layout& layout) {
  const int last = layout.ndims - 1;
  const dnnl_dim_t* const all_strides = layout.format_desc.blocking.strides;
  std::vector<int64_t> sizes(layout.dims, layout.dims + layout.ndims);
  std::vector<int64_t> strides(all_strides, all_strides + layout.ndims);
  sizes.insert(sizes.begin() + last, 1);
  strides.insert(strides.begin() + last, all_strides[last] * layout.dims[last]);
  return StridedLayout(layout.data_type, sizes, strides);
}

}  // namespace hlo::simd::onednn
