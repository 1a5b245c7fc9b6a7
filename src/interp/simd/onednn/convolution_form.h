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

// The images of a batch go through in pieces of `piece_count` images, a divisor of their number:
// between pieces a run can stop.
struct ConvolutionSpec {
  // Of what the library can describe; nothing for other convolutions.
  static std::optional<ConvolutionSpec> Make(const OpView& op);

  // Whether windows reach over what is no element.
  bool has_padding() const;
  // Whether window positions count backwards in some dimension, as the library sees it.
  bool flips_kernel() const;
  // The roles that the arrays have.
  int input_argument() const { return is_gradient ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC; }
  int result_argument() const { return is_gradient ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST; }

  // The input is the gradient of a convolution's result, and what is wanted is that of its images.
  bool is_gradient = false;
  Layout input, kernel, result;  // arrays as they lie; input and result are those of a piece
  std::vector<int64_t> strides, dilations, padding_low, padding_high;
  std::vector<bool> flips;  // by dimension of the window
  int64_t image_count = 1;
  int64_t piece_count = 1;
  int64_t input_image_size = 0;   // bytes from an image to the next
  int64_t result_image_size = 0;  // the same
  int64_t group_outputs = 1;      // output features in a group of features
  double products = 0;            // of elements, for all images

 private:
  bool SetWindow(const OpView& op);
  bool SetPieces(const OpView& op);
  bool SetLayouts(const OpView& op);
};

// What does one piece. Reorders are null where an array is taken as it lies.
struct ConvolutionForms {
  // With arrays as they lie but for the kernel, whose layout is always the library's choice;
  // else with all layouts chosen by it. Nothing where only its plain loops are left.
  static std::optional<ConvolutionForms> Make(const ConvolutionSpec& spec);

  std::shared_ptr<const Form> convolution;
  std::shared_ptr<const Form> input_reorder, kernel_reorder, result_reorder;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_FORM_H_
