// Most rules of products are inference's. A convolution reads sizes of its operands by the caller's
// dimension numbers before there is an instruction for inference to judge, so these numbers are
// checked first. All its forms come down to one, SAME and VALID as pairs (verifier.md 4).
#include "builder/contraction.h"

#include <algorithm>
#include <numeric>

#include "builder/operation.h"
#include "support/permutation.h"

namespace hlo::ops {
namespace {

Draft& SetPrecision(Draft& draft, const PrecisionConfig& precision) {
  const bool has_algorithm = precision.algorithm != PrecisionAlgorithm::kUnset;
  return draft
      .SetIf<Attr::kOperandPrecision>(!precision.operand_precision.empty(),
                                      precision.operand_precision)
      .SetIf<Attr::kDotAlgorithm>(has_algorithm, precision.algorithm);
}

Draft& SetNumbers(Draft& draft, const DotDimensionNumbers& numbers) {
  const bool has_batch =
      !numbers.lhs_batch_dimensions.empty() || !numbers.rhs_batch_dimensions.empty();
  return draft.SetIf<Attr::kLhsBatchDims>(has_batch, numbers.lhs_batch_dimensions)
      .Set<Attr::kLhsContractingDims>(numbers.lhs_contracting_dimensions)
      .SetIf<Attr::kRhsBatchDims>(has_batch, numbers.rhs_batch_dimensions)
      .Set<Attr::kRhsContractingDims>(numbers.rhs_contracting_dimensions);
}

Op AddDot(Operation& operation, Opcode opcode, Ops operands, const DotDimensionNumbers& numbers,
          const ProductOptions& options) {
  Draft draft = operation.Add(opcode, operands);
  return SetPrecision(SetNumbers(draft, numbers), options.precision)
      .InferAs(options.preferred_element_type);
}

}  // namespace

Op Dot(const Op& lhs, const Op& rhs, const ProductOptions& options, SourceLocation at) {
  Operation operation("Dot", at, {lhs, rhs});
  if (!operation.ok()) return operation.Invalid();
  if (lhs.shape().IsScalar()) {
    return operation.Fail(Rule::kBuilderDotScalar, "the left operand `{}` is a scalar",
                          ShapeText(lhs.shape()));
  }
  const int64_t lhs_dimension = lhs.shape().rank() == 1 ? 0 : 1;
  return AddDot(operation, Opcode::kDot, {lhs, rhs},
                {.lhs_contracting_dimensions = {lhs_dimension}, .rhs_contracting_dimensions = {0}},
                options);
}

Op DotGeneral(const Op& lhs, const Op& rhs, const DotDimensionNumbers& numbers,
              const ProductOptions& options, SourceLocation at) {
  Operation operation("DotGeneral", at, {lhs, rhs});
  return AddDot(operation, Opcode::kDot, {lhs, rhs}, numbers, options);
}

Op ScaledDot(const Op& lhs, const Op& rhs, const Op& lhs_scale, const Op& rhs_scale,
             const DotDimensionNumbers& numbers, const ProductOptions& options, SourceLocation at) {
  Operation operation("ScaledDot", at, {lhs, rhs, lhs_scale, rhs_scale});
  return AddDot(operation, Opcode::kScaledDot, {lhs, rhs, lhs_scale, rhs_scale}, numbers, options);
}

Op RaggedDot(const Op& lhs, const Op& rhs, const Op& group_sizes,
             const RaggedDotDimensionNumbers& numbers, const ProductOptions& options,
             SourceLocation at) {
  Operation operation("RaggedDot", at, {lhs, rhs, group_sizes});
  Draft draft = operation.Add(Opcode::kRaggedDot, {lhs, rhs, group_sizes});
  SetNumbers(draft, numbers.dot)
      .Set<Attr::kLhsRaggedDims>(numbers.lhs_ragged_dimensions)
      .SetIf<Attr::kRhsGroupDims>(!numbers.rhs_group_dimensions.empty(),
                                  numbers.rhs_group_dimensions);
  return SetPrecision(draft, options.precision).InferAs(options.preferred_element_type);
}

// --- Convolution ---------------------------------------------------------------------------------

ConvDimensionNumbers ConvDimensionNumbers::Default(int64_t spatial_dimension_count) {
  std::vector<int64_t> spatial(std::max<int64_t>(spatial_dimension_count, 0));
  std::iota(spatial.begin(), spatial.end(), 2);
  ConvDimensionNumbers numbers;
  numbers.input_spatial = numbers.kernel_spatial = numbers.output_spatial = spatial;
  return numbers;
}

bool ConvDimensionNumbers::IsComplete() const {
  constexpr size_t kDigits = 10;
  const size_t spatial_count = input_spatial.size();
  const auto covers = [&](int64_t a, int64_t b, std::vector<int64_t> numbers) {
    numbers.insert(numbers.end(), {a, b});
    return IsPermutation(numbers, static_cast<int64_t>(spatial_count) + 2);
  };
  return spatial_count <= kDigits && covers(input_batch, input_feature, input_spatial) &&
         covers(kernel_input_feature, kernel_output_feature, kernel_spatial) &&
         covers(output_batch, output_feature, output_spatial);
}

ConvolutionDimensionNumbers ConvDimensionNumbers::AttributeValue() const {
  const auto rank = static_cast<int64_t>(input_spatial.size()) + 2;
  return {.input_batch = input_batch,
          .input_feature = input_feature,
          .input_spatial = input_spatial,
          .kernel_input_feature = kernel_input_feature,
          .kernel_output_feature = kernel_output_feature,
          .kernel_spatial = kernel_spatial,
          .output_batch = output_batch,
          .output_feature = output_feature,
          .output_spatial = output_spatial,
          .input_rank = rank,
          .kernel_rank = rank,
          .output_rank = rank};
}

namespace {

bool AreDimensions(Ints list, int64_t rank) {
  for (int64_t dimension : list) {
    if (dimension < 0 || dimension >= rank) return false;
  }
  return true;
}

// Both operands have a dimension for everything that the numbers speak of.
bool CheckNumbers(Operation& operation, const Shape& lhs, const Shape& rhs,
                  const ConvDimensionNumbers& numbers) {
  if (!operation.ok()) return false;
  const size_t spatial_count = numbers.input_spatial.size();
  const auto rank = static_cast<int64_t>(spatial_count) + 2;
  if (!lhs.IsArray() || !rhs.IsArray()) {
    operation.Fail(Rule::kConvolutionOperandArray, "`{}` and `{}` are not both arrays",
                   ShapeText(lhs), ShapeText(rhs));
  } else if (lhs.rank() < 2 && rhs.rank() < 2) {
    operation.Fail(Rule::kConvolutionMinRank,
                   "`{}` and `{}` have no dimensions for batch and features", ShapeText(lhs),
                   ShapeText(rhs));
  } else if (lhs.rank() != rank || rhs.rank() != rank) {
    operation.Fail(Rule::kBuilderConvRank,
                   "`{}` and `{}` do not both have {} dimensions, two more than spatial ones",
                   ShapeText(lhs), ShapeText(rhs), rank);
  } else if (numbers.kernel_spatial.size() != spatial_count ||
             numbers.output_spatial.size() != spatial_count) {
    operation.Fail(Rule::kBuilderConvRank,
                   "{}, {} and {} spatial dimensions of input, kernel, output", spatial_count,
                   numbers.kernel_spatial.size(), numbers.output_spatial.size());
  } else if (!AreDimensions(numbers.input_spatial, rank) ||
             !AreDimensions(numbers.kernel_spatial, rank) ||
             !AreDimensions(numbers.output_spatial, rank)) {
    operation.Fail(Rule::kBuilderConvRank, "a spatial dimension is none of the {} dimensions",
                   rank);
  } else if (!numbers.IsComplete()) {
    operation.Fail(Rule::kConvolutionLabelsCover,
                   "the numbers do not name each of {} dimensions of input, kernel and output once",
                   rank);
  }
  return operation.ok();
}

std::vector<int64_t> SizesOf(const Shape& shape, const std::vector<int64_t>& dimensions) {
  std::vector<int64_t> sizes;
  for (int64_t dimension : dimensions) sizes.push_back(shape.dim(dimension));
  return sizes;
}

// `lists` has all but the sizes.
Op AddConvolution(Operation& operation, const Op& lhs, const Op& rhs, WindowLists lists,
                  const ConvDimensionNumbers& numbers, const ConvOptions& options) {
  if (!CheckNumbers(operation, lhs.shape(), rhs.shape(), numbers)) return operation.Invalid();
  const std::vector<int64_t> sizes = SizesOf(rhs.shape(), numbers.kernel_spatial);
  lists.sizes = sizes;
  const auto window = MakeWindow(operation, lists);
  if (!window) return operation.Invalid();
  Draft draft = operation.Add(Opcode::kConvolution, {lhs, rhs});
  draft.SetIf<Attr::kWindow>(!window->empty(), {*window})
      .Set<Attr::kDimLabels>(numbers.AttributeValue())
      .SetIf<Attr::kFeatureGroupCount>(options.feature_group_count != 1,
                                       options.feature_group_count)
      .SetIf<Attr::kBatchGroupCount>(options.batch_group_count != 1, options.batch_group_count);
  return SetPrecision(draft, options.precision).InferAs(options.preferred_element_type);
}

// The spatial part of the input, flags included.
Shape SpatialShape(const Shape& shape, const std::vector<int64_t>& dimensions) {
  Shape spatial = Shape::Array(shape.element_type(), {});
  for (int64_t d : dimensions) spatial.AppendDim(shape.dim(d), shape.is_dynamic(d));
  return spatial;
}

Op AddPaddedConvolution(Operation& operation, const Op& lhs, const Op& rhs, Ints window_strides,
                        Padding padding, const ConvDimensionNumbers& numbers,
                        const ConvOptions& options) {
  if (!CheckNumbers(operation, lhs.shape(), rhs.shape(), numbers)) return operation.Invalid();
  const auto pairs =
      MakePadding(operation, SpatialShape(lhs.shape(), numbers.input_spatial),
                  SizesOf(rhs.shape(), numbers.kernel_spatial), window_strides, padding);
  if (!pairs) return operation.Invalid();
  return AddConvolution(operation, lhs, rhs, {.strides = window_strides, .padding = *pairs},
                        numbers, options);
}

}  // namespace

Op Conv(const Op& lhs, const Op& rhs, Ints window_strides, Padding padding,
        const ConvOptions& options, SourceLocation at) {
  Operation operation("Conv", at, {lhs, rhs});
  return AddPaddedConvolution(operation, lhs, rhs, window_strides, padding,
                              ConvDimensionNumbers::Default(window_strides.ssize()), options);
}

Op ConvWithGeneralPadding(const Op& lhs, const Op& rhs, Ints window_strides,
                          ListArg<PaddingPair> padding, const ConvOptions& options,
                          SourceLocation at) {
  Operation operation("ConvWithGeneralPadding", at, {lhs, rhs});
  return AddConvolution(operation, lhs, rhs, {.strides = window_strides, .padding = padding},
                        ConvDimensionNumbers::Default(window_strides.ssize()), options);
}

Op ConvWithGeneralDimensions(const Op& lhs, const Op& rhs, Ints window_strides, Padding padding,
                             const ConvDimensionNumbers& numbers, const ConvOptions& options,
                             SourceLocation at) {
  Operation operation("ConvWithGeneralDimensions", at, {lhs, rhs});
  return AddPaddedConvolution(operation, lhs, rhs, window_strides, padding, numbers, options);
}

Op ConvGeneral(const Op& lhs, const Op& rhs, Ints window_strides, ListArg<PaddingPair> padding,
               const ConvDimensionNumbers& numbers, const ConvOptions& options, SourceLocation at) {
  Operation operation("ConvGeneral", at, {lhs, rhs});
  return AddConvolution(operation, lhs, rhs, {.strides = window_strides, .padding = padding},
                        numbers, options);
}

Op ConvGeneralDilated(const Op& lhs, const Op& rhs, Ints window_strides,
                      ListArg<PaddingPair> padding, Ints lhs_dilation, Ints rhs_dilation,
                      const ConvDimensionNumbers& numbers, const ConvOptions& options,
                      ListArg<bool> window_reversal, SourceLocation at) {
  Operation operation("ConvGeneralDilated", at, {lhs, rhs});
  return AddConvolution(operation, lhs, rhs,
                        {.strides = window_strides,
                         .padding = padding,
                         .base_dilations = lhs_dilation,
                         .window_dilations = rhs_dilation,
                         .reversal = window_reversal},
                        numbers, options);
}

}  // namespace hlo::ops
