// Products of arrays: dot and convolution. Source: verifier.md 3.6, 3.7, 4; builder.md 2.
#ifndef HLOKIT_BUILDER_CONTRACTION_H_
#define HLOKIT_BUILDER_CONTRACTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "builder/op.h"
#include "builder/window_dimensions.h"
#include "ir/attribute_values.h"

namespace hlo::ops {

// How exactly products are to be computed: empty, or one entry for each operand; and by which
// algorithm.
struct PrecisionConfig {
  std::vector<Precision> operand_precision = {};
  PrecisionAlgorithm algorithm = PrecisionAlgorithm::kUnset;
};

// What all products take.
struct ProductOptions {
  PrecisionConfig precision = {};
  // The element type of the result, where it is not to be the wider one of the operands'.
  std::optional<ElementType> preferred_element_type = {};
};

// --- Dot -----------------------------------------------------------------------------------------

// Vector with vector, matrix with vector or matrix: sums over dimension 1 of `lhs` (0 if it is a
// vector) and dimension 0 of `rhs`. A scalar lhs fails (builder.dot-scalar), as does dot.*.
Op Dot(const Op& lhs, const Op& rhs, const ProductOptions& options = {},
       SourceLocation at = SourceLocation::current());

struct DotDimensionNumbers {
  std::vector<int64_t> lhs_contracting_dimensions = {};
  std::vector<int64_t> rhs_contracting_dimensions = {};
  std::vector<int64_t> lhs_batch_dimensions = {};
  std::vector<int64_t> rhs_batch_dimensions = {};
};
// Sums over the contracting dimensions, for each index of the batch dimensions by itself: paired in
// order, of equal sizes. The result has [batch..., rest of lhs..., rest of rhs...] (dot.*).
Op DotGeneral(const Op& lhs, const Op& rhs, const DotDimensionNumbers& numbers,
              const ProductOptions& options = {}, SourceLocation at = SourceLocation::current());

// A dot whose operands are made of blocks that each have a factor: lhs_scale has a size that
// divides the lhs's along each dimension, likewise rhs_scale. A bf16 scale of ones stands for none
// (scaled-dot.*).
Op ScaledDot(const Op& lhs, const Op& rhs, const Op& lhs_scale, const Op& rhs_scale,
             const DotDimensionNumbers& numbers, const ProductOptions& options = {},
             SourceLocation at = SourceLocation::current());

// The one ragged dimension of lhs falls into groups as long as `group_sizes`, integers, say; each
// is multiplied with its own part of rhs along `rhs_group_dimensions` (ragged-dot.*).
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot = {};
  std::vector<int64_t> lhs_ragged_dimensions = {};
  std::vector<int64_t> rhs_group_dimensions = {};
};
Op RaggedDot(const Op& lhs, const Op& rhs, const Op& group_sizes,
             const RaggedDotDimensionNumbers& numbers, const ProductOptions& options = {},
             SourceLocation at = SourceLocation::current());

// --- Convolution ---------------------------------------------------------------------------------

// Which dimension is what; the spatial lists are equally long, in one order.
struct ConvDimensionNumbers {
  int64_t input_batch = 0;
  int64_t input_feature = 1;
  std::vector<int64_t> input_spatial = {};
  int64_t kernel_input_feature = 1;
  int64_t kernel_output_feature = 0;
  std::vector<int64_t> kernel_spatial = {};
  int64_t output_batch = 0;
  int64_t output_feature = 1;
  std::vector<int64_t> output_spatial = {};

  // dim_labels=bf01..._oi01...->bf01...
  static ConvDimensionNumbers Default(int64_t spatial_dimension_count);
  // Whether the numbers of input, kernel and output are 0 ... spatial dimensions + 1, each once,
  // and not more than the digits of dim_labels can name (grammar.md 5.3).
  bool IsComplete() const;
  // As the attribute of an instruction, which shows the lists of this.
  ConvolutionDimensionNumbers AttributeValue() const;
};
struct ConvOptions {
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  PrecisionConfig precision = {};
  std::optional<ElementType> preferred_element_type = {};
};

// Convolutions of `lhs`, an input [batch, feature, spatial...], with `rhs`, a kernel
// [output feature, input feature / groups, spatial...], or as the dimension numbers have it. There
// are as many spatial dimensions as window strides; the window's sizes are the kernel's
// (builder.conv-rank, builder.window-lists, convolution.*, window.*).
Op Conv(const Op& lhs, const Op& rhs, Ints window_strides, Padding padding,
        const ConvOptions& options = {}, SourceLocation at = SourceLocation::current());
Op ConvWithGeneralPadding(const Op& lhs, const Op& rhs, Ints window_strides,
                          ListArg<PaddingPair> padding, const ConvOptions& options = {},
                          SourceLocation at = SourceLocation::current());
Op ConvWithGeneralDimensions(const Op& lhs, const Op& rhs, Ints window_strides, Padding padding,
                             const ConvDimensionNumbers& numbers, const ConvOptions& options = {},
                             SourceLocation at = SourceLocation::current());
// Here empty lists mean strides of 1 and no padding: the dimension numbers count.
Op ConvGeneral(const Op& lhs, const Op& rhs, Ints window_strides, ListArg<PaddingPair> padding,
               const ConvDimensionNumbers& numbers, const ConvOptions& options = {},
               SourceLocation at = SourceLocation::current());
// And here dilations of 1 and no reversal.
Op ConvGeneralDilated(const Op& lhs, const Op& rhs, Ints window_strides,
                      ListArg<PaddingPair> padding, Ints lhs_dilation, Ints rhs_dilation,
                      const ConvDimensionNumbers& numbers, const ConvOptions& options = {},
                      ListArg<bool> window_reversal = {},
                      SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_CONTRACTION_H_
