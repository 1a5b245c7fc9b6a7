// Custom calls, those with a meaning of their own, and buffers, which they make and take. Source:
// verifier.md 1.15, 3.11, 4; semantics.md 15.5.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

Op Made(HloBuilder& b, std::string_view target, Ops operands, std::string_view result,
        std::vector<CustomCallAlias> aliasing = {}) {
  return CustomCall(b, target, operands, MakeShape(result), {.aliasing = std::move(aliasing)});
}
Op Buffer(HloBuilder& b) { return Made(b, "CreateBuffer", {}, "b(f32[4])"); }
// A call of the target that writes to the buffer.
Op Written(HloBuilder& b, const Op& buffer) {
  return Made(b, "t", {buffer}, "b(f32[4])", {{{}, 0, {}}});
}

constexpr Violation kViolations[] = {
    {"builder.custom-call-target", "",
     [](HloBuilder& b, Ops) { CustomCall(b, "$mine", {}, MakeShape("f32[4]")); }},
    {"custom-call.layout-count", "f32[]",
     [](HloBuilder& b, Ops x) {
       CustomCallWithLayout(b, "t", {x[0]}, MakeShape("f32[2]{0}"), {});
     }},
    {"custom-call.layout-result", "f32[]",
     [](HloBuilder& b, Ops x) {
       CustomCallWithLayout(b, "t", x, Shape::Array(ElementType::kF32, {{2}}),
                            {Shape::Scalar(ElementType::kF32)});
     }},
    {"custom-call.layout-operand", "f32[2]",
     [](HloBuilder& b, Ops x) {
       CustomCallWithLayout(b, "t", x, MakeShape("f32[2]{0}"), {MakeShape("f32[3]{0}")});
     }},
    {"custom-call.layout-operand", "f32[2]",
     [](HloBuilder& b, Ops x) {
       CustomCallWithLayout(b, "t", x, MakeShape("f32[2]{0}"),
                            {Shape::Array(ElementType::kF32, {{2}})});
     }},
    {"custom-call.api-version", "",
     [](HloBuilder& b, Ops) {
       CustomCall(b, "t", {}, MakeShape("f32[]"),
                  {.api_version = CustomCallApiVersion::kUnspecified});
     }},
    {"custom-call.alias-operand", "f32[2]",
     [](HloBuilder& b, Ops x) {
       Made(b, "t", x, "f32[2]", {{{}, 1, {}}});
     }},
    {"custom-call.alias-index", "f32[2]",
     [](HloBuilder& b, Ops x) {
       Made(b, "t", x, "f32[2]", {{{0}, 0, {}}});
     }},
    {"custom-call.alias-shape", "f32[2]",
     [](HloBuilder& b, Ops x) {
       Made(b, "t", x, "f32[3]", {{{}, 0, {}}});
     }},
    {"custom-call.get-rng-seed", "f32[2]",
     [](HloBuilder& b, Ops x) { Made(b, "GetRngSeed", x, "u64[]"); }},
    {"custom-call.slice-to-dynamic", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) { Made(b, "SliceToDynamic", x, "f32[<=2]"); }},
    {"custom-call.convolution-labels", "f32[2,4,8] f32[6,4,3]",
     [](HloBuilder& b, Ops x) {
       CustomCallWithConvDnums(b, "__cudnn$convForward", x, MakeShape("(f32[2,6],u8[0])"),
                               {.sizes = {3}}, ConvDimensionNumbers::Default(1));
     }},
    {"builder.window-lists", "f32[2]",
     [](HloBuilder& b, Ops x) {
       CustomCallWithConvDnums(b, "t", x, MakeShape("f32[2]"), {.sizes = {3}, .strides = {1, 1}},
                               {});
     }},
    {"convolution.labels-cover", "f32[2]",
     [](HloBuilder& b, Ops x) {
       auto n = ConvDimensionNumbers::Default(1);
       n.kernel_spatial = {};
       CustomCallWithConvDnums(b, "t", x, MakeShape("f32[2]"), {.sizes = {3}}, n);
     }},
    {"buffer.entry-parameter", "b(f32[4])", [](HloBuilder& b, Ops x) { Written(b, x[0]); }},
    {"buffer.where", "", [](HloBuilder& b, Ops) { Copy(Buffer(b)); }},
    {"buffer.pin", "f32[4]",
     [](HloBuilder& b, Ops x) {
       Made(b, "Pin", x, "f32[4]", {{{}, 0, {}}});
     }},
    {"buffer.unpin", "", [](HloBuilder& b, Ops) { Made(b, "Unpin", {Buffer(b)}, "f32[4]"); }},
    {"buffer.create", "f32[4]",
     [](HloBuilder& b, Ops x) { Made(b, "CreateBuffer", x, "b(f32[4])"); }},
    {"buffer.operand-aliased-once", "",
     [](HloBuilder& b, Ops) { Made(b, "t", {Buffer(b)}, "f32[4]"); }},
    {"buffer.result-aliased-once", "", [](HloBuilder& b, Ops) { Made(b, "t", {}, "b(f32[4])"); }},
    {"buffer.single-writer", "",
     [](HloBuilder& b, Ops) {
       const Op buffer = Buffer(b);
       Tuple(b, {Written(b, buffer), Written(b, buffer)});
     }},
    {"buffer.content", "",
     [](HloBuilder& b, Ops) { CustomCall(b, "CreateBuffer", {}, Shape::Buffer(Shape::Token())); }},
};

}  // namespace

Violations CustomCallViolations() { return kViolations; }

}  // namespace hlo::testing
