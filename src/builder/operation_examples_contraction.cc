// Sizes mostly differ, so that swapped dimension numbers show in the result's shape. What is left
// at its default (strides of 1, no padding, one group) must not appear in the text.
#include "builder/operation_examples.h"

namespace hlo::testing {

using namespace ops;

std::vector<OperationExample> ContractionExamples() {
  return {
      {"Dot", [](HloBuilder& b) { return Dot(P(b, 0, "f32[2,3]"), P(b, 1, "f32[3,4]")); }, R"(
ROOT dot = f32[2,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)"},
      {"Dot", [](HloBuilder& b) { return Dot(P(b, 0, "f32[3]"), P(b, 1, "f32[3]")); }, R"(
ROOT dot = f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}
)"},
      {"DotGeneral",
       [](HloBuilder& b) {
         return DotGeneral(P(b, 0, "bf16[5,2,3]"), P(b, 1, "bf16[5,3,4]"),
                           {.lhs_contracting_dimensions = {2},
                            .rhs_contracting_dimensions = {1},
                            .lhs_batch_dimensions = {0},
                            .rhs_batch_dimensions = {0}},
                           {.precision = {{Precision::kHigh, Precision::kHighest},
                                          PrecisionAlgorithm::kBf16Bf16F32},
                            .preferred_element_type = ElementType::kF32});
       },
       R"(
ROOT dot = f32[5,2,4] dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={high,highest}, algorithm=dot_bf16_bf16_f32
)"},
      {"ScaledDot",
       [](HloBuilder& b) {
         return ScaledDot(P(b, 0, "f8e4m3fn[2,8]"), P(b, 1, "f8e4m3fn[8,4]"),
                          P(b, 2, "f8e8m0fnu[2,2]"), P(b, 3, "f8e8m0fnu[2,4]"),
                          {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {0}},
                          {.preferred_element_type = ElementType::kF32});
       },
       R"(
ROOT scaled-dot = f32[2,4] scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)"},
      {"RaggedDot",
       [](HloBuilder& b) {
         return RaggedDot(
             P(b, 0, "f32[8,3]"), P(b, 1, "f32[2,3,4]"), P(b, 2, "s32[2]"),
             {.dot = {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {1}},
              .lhs_ragged_dimensions = {0},
              .rhs_group_dimensions = {0}});
       },
       R"(
ROOT ragged-dot = f32[8,4] ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
)"},
      {"Conv",
       [](HloBuilder& b) {
         return Conv(P(b, 0, "f32[1,2,7]"), P(b, 1, "f32[3,2,3]"), {2}, Padding::kSame);
       },
       R"(
ROOT convolution = f32[1,3,4] convolution(p0, p1), window={size=3 stride=2 pad=1_1}, dim_labels=bf0_oi0->bf0
)"},
      {"ConvWithGeneralPadding",
       [](HloBuilder& b) {
         return ConvWithGeneralPadding(P(b, 0, "f32[1,2,7,7]"), P(b, 1, "f32[3,2,3,3]"), {1, 2},
                                       {{1, 1}, {0, 2}});
       },
       R"(
ROOT convolution = f32[1,3,7,4] convolution(p0, p1), window={size=3x3 stride=1x2 pad=1_1x0_2}, dim_labels=bf01_oi01->bf01
)"},
      {"ConvWithGeneralDimensions",
       [](HloBuilder& b) {
         return ConvWithGeneralDimensions(P(b, 0, "f32[1,7,2]"), P(b, 1, "f32[3,2,3]"), {1},
                                          Padding::kValid,
                                          {.input_batch = 0,
                                           .input_feature = 2,
                                           .input_spatial = {1},
                                           .kernel_input_feature = 1,
                                           .kernel_output_feature = 2,
                                           .kernel_spatial = {0},
                                           .output_batch = 0,
                                           .output_feature = 2,
                                           .output_spatial = {1}});
       },
       R"(
ROOT convolution = f32[1,5,3] convolution(p0, p1), window={size=3}, dim_labels=b0f_0io->b0f
)"},
      {"ConvGeneral",
       [](HloBuilder& b) {
         return ConvGeneral(P(b, 0, "f32[1,4,7]"), P(b, 1, "f32[6,2,3]"), {}, {},
                            ConvDimensionNumbers::Default(1), {.feature_group_count = 2});
       },
       R"(
ROOT convolution = f32[1,6,5] convolution(p0, p1), window={size=3}, dim_labels=bf0_oi0->bf0, feature_group_count=2
)"},
      {"ConvGeneralDilated",
       [](HloBuilder& b) {
         return ConvGeneralDilated(P(b, 0, "s8[1,2,7]"), P(b, 1, "s8[3,2,3]"), {}, {{2, 2}}, {2},
                                   {3}, ConvDimensionNumbers::Default(1),
                                   {.preferred_element_type = ElementType::kS32}, {true});
       },
       R"(
ROOT convolution = s32[1,3,11] convolution(p0, p1), window={size=3 pad=2_2 lhs_dilate=2 rhs_dilate=3 rhs_reversal=1}, dim_labels=bf0_oi0->bf0
)"},
  };
}

}  // namespace hlo::testing
