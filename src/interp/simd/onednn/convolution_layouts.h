// Arrays of a convolution as the library sees them.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_LAYOUTS_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_LAYOUTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "interp/simd/onednn/primitive.h"
#include "ir/attribute_values.h"
#include "ir/index_space.h"
#include "ir/shape.h"

namespace hlo::simd::onednn {

// Whether the library takes such arrays, if need be as f32.
bool IsTypeForLibrary(ElementType type);
// The bytes of an element: f32 or bf16.
int64_t ElementSize(dnnl_data_type_t type);

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

// Batch, features, spatial dimensions; of the batch so many images.
Dimensions ImagesOf(const Shape& shape, int64_t image_count, int64_t batch, int64_t feature,
                    const IntList& spatial);

// Where a kernel has its features, and whose of them are all those of a group after the other.
struct KernelDimensions {
  int64_t outputs, inputs;
  const IntList& spatial;
  bool are_outputs_grouped = true;
};

// The group if there are several, output features, input features, spatial dimensions.
Dimensions KernelOf(const Shape& shape, const KernelDimensions& kernel, int64_t groups);

// False where the library has no layout for it.
bool SetLayout(dnnl_data_type_t type, const Dimensions& dimensions, Layout& layout);

// The last two dimensions as one; nothing where elements are not spaced evenly over both.
std::optional<Layout> WithLastMerged(const Layout& layout);
// With a dimension of one element before the last.
std::optional<Layout> WithRow(const Layout& layout);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_LAYOUTS_H_
