// Parameters, constants, broadcasts, reshapes, tuples. Source: verifier.md 1.3, 3.5, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

constexpr Violation kViolations[] = {
    {"comp.param-nonnegative", "", [](HloBuilder& b, Ops) { P(b, -1, "f32[]"); }},
    {"comp.param-number-unique", "",
     [](HloBuilder& b, Ops) { P(b, 0, "f32[]"), P(b, 0, "f32[]"); }},
    {"comp.params-contiguous", "", [](HloBuilder& b, Ops) { P(b, 1, "f32[]"); }},
    {"param.replication-leaves", "",
     [](HloBuilder& b, Ops) { Parameter(b, 0, MakeShape("(f32[], f32[])"), "p", {true}); }},
    {"constant.literal", "",
     [](HloBuilder& b, Ops) {
       ConstantArray<float>(b, {2, 2}, {1, 2, 3});
     }},
    {"constant.literal", "",
     [](HloBuilder& b, Ops) {
       ConstantR2<float>(b, {{1, 2}, {3}});
     }},
    {"constant.literal", "", [](HloBuilder& b, Ops) { ConstantArray<float>(b, {-1}, {}); }},
    {"iota.dimension", "", [](HloBuilder& b, Ops) { Iota(b, MakeShape("f32[4]"), 1); }},
    {"iota.element-type", "", [](HloBuilder& b, Ops) { Iota(b, ElementType::kPred, 4); }},
    {"iota.array", "", [](HloBuilder& b, Ops) { Iota(b, MakeShape("(f32[2])"), 0); }},
    {"iota.rank", "", [](HloBuilder& b, Ops) { Iota(b, MakeShape("f32[]"), 0); }},
    {"builder.iota-static", "", [](HloBuilder& b, Ops) { Iota(b, MakeShape("f32[<=4]"), 0); }},
    {"builder.broadcast-sizes", "f32[]", [](HloBuilder&, Ops x) { Broadcast(x[0], {-2}); }},
    {"builder.broadcast-in-dim", "f32[3]",
     [](HloBuilder&, Ops x) {
       BroadcastInDim(x[0], {2, 4}, {1});
     }},
    {"builder.broadcast-in-dim", "f32[3,3]",
     [](HloBuilder&, Ops x) { BroadcastInDim(x[0], {3}, {0}); }},
    {"builder.broadcast-in-dim", "f32[2,3]",
     [](HloBuilder&, Ops x) {
       BroadcastInDim(x[0], {3, 2}, {1, 0});
     }},
    {"dynamic.unbounded-unsupported", "f32[?]", [](HloBuilder&, Ops x) { Broadcast(x[0], {2}); }},
    {"unary.operand-array", "(f32[2])", [](HloBuilder&, Ops x) { Broadcast(x[0], {2}); }},
    {"unary.operand-array", "token[]", [](HloBuilder&, Ops x) { BroadcastInDim(x[0], {2}, {}); }},
    {"builder.collapse-consecutive", "f32[2,3,4]",
     [](HloBuilder&, Ops x) {
       Collapse(x[0], {0, 2});
     }},
    {"builder.collapse-range", "f32[2,3]",
     [](HloBuilder&, Ops x) {
       Collapse(x[0], {1, 2});
     }},
    {"builder.reshape-permutation", "f32[2,3]",
     [](HloBuilder&, Ops x) { Reshape(x[0], {0}, {6}); }},
    {"builder.reshape-dynamic", "f32[<=2,6]",
     [](HloBuilder&, Ops x) {
       Reshape(x[0], {4, 3});
     }},
    {"reshape.count", "f32[2,3]", [](HloBuilder&, Ops x) { Reshape(x[0], {7}); }},
    {"reshape.array", "(f32[2])", [](HloBuilder&, Ops x) { Reshape(x[0], {2}); }},
    {"reshape.array", "f32[2]", [](HloBuilder&, Ops x) { Reshape(MakeShape("(f32[2])"), x[0]); }},
    {"reshape.element-type", "f32[2]",
     [](HloBuilder&, Ops x) { Reshape(MakeShape("s32[2]"), x[0]); }},
    {"reshape.unbounded-result", "f32[2]",
     [](HloBuilder&, Ops x) { Reshape(MakeShape("f32[?]"), x[0]); }},
    {"reshape.mixed-dynamism", "f32[?,<=3]",
     [](HloBuilder&, Ops x) { Reshape(MakeShape("f32[6]"), x[0]); }},
    {"reshape.inferred-dimension", "f32[6]",
     [](HloBuilder&, Ops x) {
       ReshapeWithInferredDimension(x[0], {2, 3}, 2);
     }},
    {"builder.dynamic-reshape-lists", "f32[6] s32[]",
     [](HloBuilder&, Ops x) {
       DynamicReshape(x[0], {x[1]}, {2, 3}, {false, false});
     }},
    {"dynamic-reshape.count", "f32[6] s32[]",
     [](HloBuilder&, Ops x) { DynamicReshape(x[0], {x[1]}, {7}, {true}); }},
    {"dynamic-reshape.sizes-s32", "f32[6] s64[]",
     [](HloBuilder&, Ops x) { DynamicReshape(x[0], {x[1]}, {6}, {true}); }},
    {"dynamic-reshape.sizes-scalar", "f32[6] s32[1]",
     [](HloBuilder&, Ops x) { DynamicReshape(x[0], {x[1]}, {6}, {true}); }},
    {"transpose.permutation", "f32[2,3]",
     [](HloBuilder&, Ops x) {
       Transpose(x[0], {1, 1});
     }},
    {"transpose.array", "(f32[2])", [](HloBuilder&, Ops x) { Transpose(x[0], {}); }},
    {"reverse.dims-unique", "f32[2]",
     [](HloBuilder&, Ops x) {
       Rev(x[0], {0, 0});
     }},
    {"reverse.dims-range", "f32[2]", [](HloBuilder&, Ops x) { Rev(x[0], {1}); }},
    {"shape.dimension-number", "f32[2]", [](HloBuilder&, Ops x) { Rev(x[0], {-1}); }},
    {"get-tuple-element.index", "(f32[])", [](HloBuilder&, Ops x) { GetTupleElement(x[0], 1); }},
    {"get-tuple-element.tuple", "f32[]", [](HloBuilder&, Ops x) { GetTupleElement(x[0], 0); }},
    {"inst.nesting-depth", "f32[2]",
     [](HloBuilder& b, Ops x) {
       Op tuple = x[0];
       for (int i = 0; i < 2000; ++i) tuple = Tuple(b, {tuple});
     }},
    {"shape.part-count", "f32[2]",
     [](HloBuilder& b, Ops x) {
       Op tuple = x[0];
       for (int i = 0; i < 40; ++i) tuple = Tuple(b, {tuple, tuple});
     }},
};

}  // namespace

Violations DataMovementViolations() { return kViolations; }

}  // namespace hlo::testing
