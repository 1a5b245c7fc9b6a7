// A convolution as oneDNN describes it, and the primitives that do it.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_FORM_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_FORM_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/simd/onednn/primitive.h"
#include "ir/op_view.h"

namespace hlo::simd::onednn {

// What the library is to make: a convolution's result, or a gradient of one.
enum class ConvolutionRole {
  kResult,          // of images and kernel
  kImageGradient,   // of the result's gradient and the kernel
  kKernelGradient,  // of images and the result's gradient
};

// Of what a part of a convolution is made: images, rows of the result (its first spatial dimension)
// and its features, or groups of them.
struct ConvolutionPiece {
  auto operator<=>(const ConvolutionPiece&) const = default;

  int64_t images, first_row, rows, features;
};

// Next to no output features in each of several groups.
inline bool HasThinGroups(int64_t group_count, int64_t group_outputs) {
  return group_count > 1 && group_outputs < 4;
}

// The gradient of a kernel is a sum over all images: it is made in parts of its output features, or
// of its groups, and sums over some of the images, all parts alike. For others see
// convolution_parts.h.
struct ConvolutionSpec {
  // Of what the library can describe, the most likely first; none for other convolutions.
  static std::vector<ConvolutionSpec> MakeAll(const OpView& op);

  // Whether windows reach over what is no element.
  bool has_padding() const;
  // Whether features of images and results lie side by side, as in the library's own layouts.
  bool has_dense_features() const;
  // Whether it is a product of pixels that lie in a row, which may be cut at any of them.
  bool is_plain_product() const;
  bool has_thin_groups() const { return HasThinGroups(group_count, group_outputs); }
  // Whether window positions count backwards in some dimension, as the library sees it.
  bool flips_kernel() const;
  // What the arrays are to the library.
  int input_argument() const;
  int kernel_argument() const;
  int result_argument() const;
  // The part that makes `piece` of the result, from the input rows that it needs; no gradient of a
  // kernel. Nothing where the library has no layout for it.
  std::optional<ConvolutionSpec> PieceOf(const ConvolutionPiece& piece) const;
  // The input row that the window on row `row` of the result begins with.
  int64_t FirstInputRow(int64_t row) const;
  // Which dimension of the kernel belongs to features of the result.
  int feature_dimension() const {
    return role == ConvolutionRole::kImageGradient && group_count == 1 ? 1 : 0;
  }

  ConvolutionRole role = ConvolutionRole::kResult;
  Layout input, kernel, result;  // arrays as they lie; of a gradient by the kernel those of a part
  // By spatial dimension. Those over which windows of one element go in order are one.
  std::vector<int64_t> strides, dilations, padding_low, padding_high;
  std::vector<bool> flips;       // by dimension of the window, as it is written
  int64_t part_count = 1;        // of output features or groups, where there is one sum
  int64_t input_part_size = 0;   // bytes from a part's images to the next's; 0: the same for all
  int64_t kernel_part_size = 0;  // the same of gradients of the result
  int64_t result_part_size = 0;
  int64_t sum_count = 1;         // of images, whose sums are added
  int64_t input_sum_size = 0;    // bytes from a sum's images to the next's
  int64_t kernel_sum_size = 0;   // the same of gradients of the result
  int64_t group_count = 1;       // of features, as the library sees it
  int64_t group_outputs = 1;     // output features in each
  double window_size = 1;        // places of the kernel, or of the one whose gradient this is
  double products = 0;           // of elements, for all images
  bool is_kernel_fixed = false;  // it is the same in all runs, and packed once
  bool is_widened = false;       // arrays of bf16 are f32 to the library (wide_arrays.h)

 private:
  static std::optional<ConvolutionSpec> Make(const OpView& op, ConvolutionRole role);
  bool SetGroups(const OpView& op);
  bool SetWindow(const OpView& op);
  bool HasToWiden() const;  // bf16
  // As what the library gets an array.
  dnnl_data_type_t TypeOf(const Shape& shape) const;
  bool SetLayouts(const OpView& op);
  void MergeSpatial();
  void AddRow();
  void SetParts(const OpView& op);
  bool SetPartLayouts(const OpView& op);
  void SkipStrides(const OpView& op, std::vector<int64_t>& image_sizes,
                   std::vector<int64_t>& image_strides);
};

// Whether there are holes between the elements of the image, as in gradients of strides.
bool HasHoles(const OpView& op);

// What does one part, on one thread. Reorders are null where an array is taken as it lies.
struct ConvolutionForms {
  // With images and results as they lie and a kernel, or gradient of one, in a layout of the
  // library's choice; else with all layouts chosen by it. `kernel`: with that layout of the kernel
  // in any case. Nothing where only its plain loops are left.
  static std::optional<ConvolutionForms> Make(const ConvolutionSpec& spec,
                                              const Layout* kernel = nullptr);

  // For --print-plan.
  std::string Text() const;
  int64_t scratch_byte_size() const;  // of the one that needs most

  std::shared_ptr<const Form> convolution;
  std::shared_ptr<const Form> input_reorder, kernel_reorder, result_reorder;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_FORM_H_
