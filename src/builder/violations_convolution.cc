// Convolutions. Source: verifier.md 3.7, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// Of x[0], f32[2,4,8] as [batch, feature, spatial], with x[1], f32[6,4,3] as [output, input,
// spatial].
void Convolve(Ops x, const ConvOptions& options) {
  ConvGeneral(x[0], x[1], {}, {}, ConvDimensionNumbers::Default(1), options);
}
void Dilated(Ops x, Ints lhs_dilation, Ints rhs_dilation) {
  ConvGeneralDilated(x[0], x[1], {}, {}, lhs_dilation, rhs_dilation,
                     ConvDimensionNumbers::Default(1));
}

constexpr Violation kViolations[] = {
    {"builder.conv-rank", "f32[1,2,8] f32[2,2]",
     [](HloBuilder&, Ops x) {
       ConvWithGeneralPadding(x[0], x[1], {1}, {{0, 0}});
     }},
    {"builder.conv-rank", "f32[1,2] f32[2,2]",
     [](HloBuilder&, Ops x) { Conv(x[0], x[1], {1}, Padding::kSame); }},
    {"convolution.min-rank", "f32[4] f32[4]",
     [](HloBuilder&, Ops x) { ConvGeneral(x[0], x[1], {}, {}, ConvDimensionNumbers::Default(0)); }},
    {"convolution.one-group-count", "f32[2,2,4] f32[4,1,3]",
     [](HloBuilder&, Ops x) {
       ConvGeneral(x[0], x[1], {}, {}, ConvDimensionNumbers::Default(1),
                   {.feature_group_count = 2, .batch_group_count = 2});
     }},
    {"window.stride-positive", "f32[1,2,4] f32[3,2,3]",
     [](HloBuilder&, Ops x) { ConvWithGeneralPadding(x[0], x[1], {0}, {}); }},
    {"builder.conv-rank", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) {
       auto n = ConvDimensionNumbers::Default(1);
       n.input_spatial = {3};
       ConvGeneral(x[0], x[1], {}, {}, n);
     }},
    {"builder.conv-rank", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) {
       auto n = ConvDimensionNumbers::Default(1);
       n.output_spatial = {};
       ConvGeneral(x[0], x[1], {}, {}, n);
     }},
    {"builder.window-lists", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) {
       Dilated(x, {1, 1}, {});
     }},
    {"builder.same-padding-lists", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Conv(x[0], x[1], {0}, Padding::kSame); }},
    {"convolution.operand-array", "(f32[2]) f32[6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {}); }},
    {"convolution.labels-cover", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) {
       auto n = ConvDimensionNumbers::Default(1);
       n.input_feature = 0;
       ConvGeneral(x[0], x[1], {}, {}, n);
     }},
    {"convolution.labels-cover", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) {
       auto n = ConvDimensionNumbers::Default(1);
       n.output_batch = 7;
       ConvGeneral(x[0], x[1], {}, {}, n);
     }},
    {"convolution.labels-cover", "f32[1,1,1,1,1,1,1,1,1,1,1,1,1] f32[1,1,1,1,1,1,1,1,1,1,1,1,1]",
     [](HloBuilder&, Ops x) {
       ConvGeneral(x[0], x[1], {}, {}, ConvDimensionNumbers::Default(11));
     }},
    {"convolution.feature-group-positive", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {.feature_group_count = 0}); }},
    {"convolution.batch-group-positive", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {.batch_group_count = -1}); }},
    {"convolution.feature-divides-input", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {.feature_group_count = 3}); }},
    {"convolution.kernel-input-feature", "f32[2,4,8] f32[6,5,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {}); }},
    {"convolution.feature-divides-output", "f32[2,4,8] f32[6,1,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {.feature_group_count = 4}); }},
    {"convolution.batch-divides-input", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {.batch_group_count = 3}); }},
    {"convolution.batch-divides-output", "f32[4,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {.batch_group_count = 4}); }},
    {"convolution.kernel-output-static", "f32[2,4,8] f32[<=6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {}); }},
    {"convolution.same-type", "f32[2,4,8] s32[6,4,3]",
     [](HloBuilder&, Ops x) { Convolve(x, {.preferred_element_type = ElementType::kF32}); }},
    {"window.size-positive", "f32[2,4,8] f32[6,4,0]", [](HloBuilder&, Ops x) { Convolve(x, {}); }},
    {"window.base-dilation", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Dilated(x, {0}, {}); }},
    {"window.window-dilation", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Dilated(x, {}, {-2}); }},
    {"window.padded-nonnegative", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) {
       ConvWithGeneralPadding(x[0], x[1], {1}, {{-9, 0}});
     }},
    {"shape.count-overflow", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder&, Ops x) { Dilated(x, {INT64_MAX}, {}); }},
};

}  // namespace

Violations ConvolutionViolations() { return kViolations; }

}  // namespace hlo::testing
