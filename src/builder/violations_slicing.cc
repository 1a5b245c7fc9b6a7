// Operations that cut, pad and join arrays, and dynamic sizes. Source: verifier.md 3.5, 3.15, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

constexpr int64_t kHuge = int64_t{1} << 62;

constexpr Violation kViolations[] = {
    {"concatenate.nonempty", "", [](HloBuilder& b, Ops) { ConcatInDim(b, {}, 0); }},
    {"concatenate.other-dims", "f32[2,3] f32[2,4]",
     [](HloBuilder& b, Ops x) {
       ConcatInDim(b, {x[0], x[1]}, 0);
     }},
    {"concatenate.dimension-range", "f32[2] f32[2]",
     [](HloBuilder& b, Ops x) { ConcatInDim(b, x, 1); }},
    {"concatenate.dimension-range", "f32[] f32[]",
     [](HloBuilder& b, Ops x) { ConcatInDim(b, x, 0); }},
    {"concatenate.rank", "f32[2] f32[2,2]", [](HloBuilder& b, Ops x) { ConcatInDim(b, x, 0); }},
    {"concatenate.element-type", "f32[2] s32[2]",
     [](HloBuilder& b, Ops x) { ConcatInDim(b, x, 0); }},
    {"concatenate.bound-mismatch", "f32[2,<=3] f32[2,<=4]",
     [](HloBuilder& b, Ops x) { ConcatInDim(b, x, 0); }},
    {"shape.dimension-number", "f32[2] f32[2]",
     [](HloBuilder& b, Ops x) { ConcatInDim(b, x, -1); }},
    {"builder.dimension-range", "f32[4]", [](HloBuilder&, Ops x) { SliceInDim(x[0], 0, 1, 1, 2); }},
    {"builder.dimension-range", "f32[4] f32[]",
     [](HloBuilder&, Ops x) { PadInDim(x[0], x[1], -1, 1, 1); }},
    {"pad.config-rank", "f32[2,3] f32[]",
     [](HloBuilder&, Ops x) {
       Pad(x[0], x[1], {{1, 1, 0}});
     }},
    {"pad.value-scalar", "f32[2] f32[1]",
     [](HloBuilder&, Ops x) {
       Pad(x[0], x[1], {{1, 1, 0}});
     }},
    {"pad.result-nonnegative", "f32[2] f32[]",
     [](HloBuilder&, Ops x) {
       Pad(x[0], x[1], {{-3, 0, 0}});
     }},
    {"pad.operand-array", "(f32[]) f32[]", [](HloBuilder&, Ops x) { Pad(x[0], x[1], {}); }},
    {"pad.value-type", "f32[2] s32[]",
     [](HloBuilder&, Ops x) {
       Pad(x[0], x[1], {{1, 1, 0}});
     }},
    {"pad.value-static", "f32[2] f32[<=1]",
     [](HloBuilder&, Ops x) {
       Pad(x[0], x[1], {{1, 1, 0}});
     }},
    {"pad.interior-nonnegative", "f32[2] f32[]",
     [](HloBuilder&, Ops x) {
       Pad(x[0], x[1], {{0, 0, -1}});
     }},
    {"pad.overflow", "f32[5] f32[]",
     [](HloBuilder&, Ops x) {
       Pad(x[0], x[1], {{0, 0, kHuge}});
     }},
    {"slice.rank", "f32[4]",
     [](HloBuilder&, Ops x) {
       Slice(x[0], {0}, {1, 2});
     }},
    {"slice.limit", "f32[4]", [](HloBuilder&, Ops x) { Slice(x[0], {0}, {5}); }},
    {"slice.stride", "f32[4]", [](HloBuilder&, Ops x) { Slice(x[0], {0}, {4}, {0}); }},
    {"slice.rank", "f32[4]",
     [](HloBuilder&, Ops x) {
       Slice(x[0], {0, 0}, {1, 1});
     }},
    {"slice.start", "f32[4]", [](HloBuilder&, Ops x) { Slice(x[0], {-1}, {2}); }},
    {"slice.limit", "f32[4]", [](HloBuilder&, Ops x) { Slice(x[0], {3}, {2}); }},
    {"slice.array", "(f32[4])", [](HloBuilder&, Ops x) { Slice(x[0], {}, {}); }},
    {"get-dimension-size.dimension", "f32[4]",
     [](HloBuilder&, Ops x) { GetDimensionSize(x[0], 1); }},
    {"get-dimension-size.int32", "f32[3000000000]",
     [](HloBuilder&, Ops x) { GetDimensionSize(x[0], 0); }},
    {"get-dimension-size.array", "(f32[])", [](HloBuilder&, Ops x) { GetDimensionSize(x[0], 0); }},
    {"set-dimension-size.value", "f32[4] s64[]",
     [](HloBuilder&, Ops x) { SetDimensionSize(x[0], x[1], 0); }},
    {"set-dimension-size.dimension", "f32[4] s32[]",
     [](HloBuilder&, Ops x) { SetDimensionSize(x[0], x[1], 1); }},
    {"set-dimension-size.dimension", "f32[<=4]",
     [](HloBuilder&, Ops x) { RemoveDynamicDimension(x[0], 1); }},
    {"set-dimension-size.int32", "f32[3000000000] s32[]",
     [](HloBuilder&, Ops x) { SetDimensionSize(x[0], x[1], 0); }},
    {"set-dimension-size.int32", "f32[<=3000000000]",
     [](HloBuilder&, Ops x) { RemoveDynamicDimension(x[0], 0); }},
    {"set-dimension-size.array", "(f32[]) s32[]",
     [](HloBuilder&, Ops x) { SetDimensionSize(x[0], x[1], 0); }},
    {"set-dimension-size.constant", "f32[4]",
     [](HloBuilder& b, Ops x) { SetDimensionSize(x[0], ConstantR0<int32_t>(b, 5), 0); }},
};

}  // namespace

Violations SlicingViolations() { return kViolations; }

}  // namespace hlo::testing
