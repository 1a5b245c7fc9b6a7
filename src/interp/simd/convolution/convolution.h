// convolution as a product of strided arrays.
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_CONVOLUTION_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_CONVOLUTION_H_

#include <memory>
#include <vector>

#include "interp/kernel/evaluation.h"
#include "interp/plan/plan.h"
#include "interp/simd/convolution/padded_input.h"
#include "interp/simd/product/epilogue.h"
#include "interp/simd/product/matrix_product.h"
#include "ir/index_space.h"

namespace hlo::simd {

// A convolution whose windows may read all positions of the padded input without looking.
class ConvolutionShape {
 public:
  explicit ConvolutionShape(const OpView& op);

  // Whether windows can read the input where it is.
  bool is_inside() const { return is_inside_; }
  // Whether windows are single places, so that each element is read by one of them at most.
  bool has_single_places() const { return has_single_places_; }
  int64_t padded_count() const { return PaddedCount(padded_); }
  // Whether padding or holes are beyond all measure: these are better left out than written out.
  bool HasExcessPadding(const OpView& op) const;
  // From the (padded) input's first element to where the first window begins.
  int64_t input_offset() const { return input_offset_; }
  // From the kernel's first element to the one at window position 0, which reversal puts last.
  int64_t kernel_offset() const { return kernel_offset_; }
  // Whether the input gives the rows of the product, the kernel the columns.
  bool input_gives_rows() const { return input_gives_rows_; }
  // Whether there are several groups, each of which makes less than so many output features.
  bool HasGroupsBelow(int64_t outputs) const {
    return group_count_ > 1 && group_outputs_ < outputs;
  }
  // Whether sums of windows (window_sums.h) take less time than products, whose lanes would be
  // features that there are too few of.
  bool suits_window_sums() const {
    return HasGroupsBelow(input_gives_rows_ ? 16 : 33) || has_few_features_;
  }
  // Whether it makes next to no features of few, without groups: sums of windows then take less
  // time than the library's convolutions, too.
  bool has_few_features() const { return has_few_features_; }
  int64_t group_outputs() const { return group_outputs_; }
  const std::vector<PaddedDimension>& padded() const { return padded_; }
  const ProductShape& product() const { return product_; }

 private:
  void FindPadding(const OpView& op);
  void FindProduct(const OpView& op);
  bool HasFewFeatures(const OpView& op) const;

  std::vector<PaddedDimension> padded_;  // by dimension of the input
  bool is_inside_ = true;
  bool has_single_places_ = true;
  bool input_gives_rows_ = true;
  int64_t input_offset_ = 0;
  int64_t kernel_offset_ = 0;
  int64_t group_count_ = 1;
  int64_t group_outputs_ = 1;
  bool has_few_features_ = false;
  ProductShape product_;
};

// The kernel of a convolution of static arrays; null when there is none for it.
const Kernel* FindConvolutionKernel(const OpView& op);

// The same as a program, for a step that is a convolution; null when there is no kernel.
std::shared_ptr<const ProductProgram> MakeConvolutionProgram(const Plan& plan, const Step& step);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_CONVOLUTION_H_
