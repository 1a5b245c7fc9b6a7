// A convolution as oneDNN describes it, and the primitives that do it.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_FORM_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_FORM_H_

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

// The images of a batch go through in pieces of `piece_count` images, a divisor of their number:
// between pieces a run can stop. The gradient of a kernel is a sum over all images: it is made in
// parts of its output features, or of its groups, which are all alike.
struct ConvolutionSpec {
  // Of what the library can describe, the most likely first; none for other convolutions.
  static std::vector<ConvolutionSpec> MakeAll(const OpView& op);

  // Whether windows reach over what is no element.
  bool has_padding() const;
  // Whether window positions count backwards in some dimension, as the library sees it.
  bool flips_kernel() const;
  // What the arrays are to the library.
  int input_argument() const;
  int kernel_argument() const;
  int result_argument() const;

  ConvolutionRole role = ConvolutionRole::kResult;
  Layout input, kernel, result;  // arrays of a piece or part as they lie
  std::vector<int64_t> strides, dilations, padding_low, padding_high;
  std::vector<bool> flips;  // by dimension of the window
  int64_t image_count = 1;
  int64_t piece_count = 1;
  int64_t input_image_size = 0;   // bytes from an image to the next
  int64_t result_image_size = 0;  // the same
  int64_t part_count = 1;
  int64_t input_part_size = 0;   // bytes from a part's images to the next's; 0: the same for all
  int64_t kernel_part_size = 0;  // the same of gradients of the result
  int64_t result_part_size = 0;
  int64_t group_count = 1;    // of features, as the library sees it
  int64_t group_outputs = 1;  // output features in each
  double window_size = 1;     // places of the kernel, or of the one whose gradient this is
  double products = 0;        // of elements, for all images

 private:
  static std::optional<ConvolutionSpec> Make(const OpView& op, ConvolutionRole role);
  bool SetGroups(const OpView& op);
  bool SetWindow(const OpView& op);
  bool SetPieces(const OpView& op);
  bool SetLayouts(const OpView& op);
  void SetParts();
  bool SetPartLayouts(const OpView& op);
  void SkipStrides(const OpView& op, std::vector<int64_t>& image_sizes,
                   std::vector<int64_t>& image_strides);
};

// What does one piece, on all threads, or one part, on one. Reorders are null where an array is
// taken as it lies.
struct ConvolutionForms {
  // With images and results as they lie and a kernel, or gradient of one, in a layout of the
  // library's choice; else with all layouts chosen by it. Nothing where only its plain loops are
  // left.
  static std::optional<ConvolutionForms> Make(const ConvolutionSpec& spec);

  // For --print-plan.
  std::string Text() const;
  int64_t scratch_byte_size() const;  // of the one that needs most

  std::shared_ptr<const Form> convolution;
  std::shared_ptr<const Form> input_reorder, kernel_reorder, result_reorder;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_FORM_H_
