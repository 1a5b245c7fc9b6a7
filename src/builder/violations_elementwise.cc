// Elementwise operations and implicit broadcasting. Source: verifier.md 2.4, 3.1 to 3.4, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

constexpr Violation kViolations[] = {
    {"broadcasting.rank-mismatch", "f32[2,3] f32[3]", [](HloBuilder&, Ops x) { Add(x[0], x[1]); }},
    {"broadcasting.list-length", "f32[2,3] f32[3]",
     [](HloBuilder&, Ops x) {
       Add(x[0], x[1], {0, 1});
     }},
    {"broadcasting.list-range", "f32[2,3] f32[3]",
     [](HloBuilder&, Ops x) { Add(x[0], x[1], {2}); }},
    {"broadcasting.list-increasing", "f32[2,3,4] f32[3,4]",
     [](HloBuilder&, Ops x) {
       Add(x[0], x[1], {2, 1});
     }},
    {"broadcasting.size-match", "f32[2,3] f32[3]",
     [](HloBuilder&, Ops x) { Add(x[0], x[1], {0}); }},
    {"broadcasting.equal-rank-list", "f32[2,3] f32[2,3]",
     [](HloBuilder&, Ops x) {
       Add(x[0], x[1], {1, 0});
     }},
    {"broadcasting.degenerate-match", "f32[7,2,5] f32[7,2,6]",
     [](HloBuilder&, Ops x) { Add(x[0], x[1]); }},
    {"dynamic.unbounded-unsupported", "f32[?] f32[2,3]",
     [](HloBuilder&, Ops x) { Add(x[0], x[1], {1}); }},
    {"unary.element-type", "s32[2]", [](HloBuilder&, Ops x) { Floor(x[0]); }},
    {"unary.operand-array", "(f32[])", [](HloBuilder&, Ops x) { Neg(x[0]); }},
    {"abs.unsigned", "u8[2]", [](HloBuilder&, Ops x) { Abs(x[0]); }},
    {"cbrt.complex", "c64[2]", [](HloBuilder&, Ops x) { Cbrt(x[0]); }},
    {"binary.same-type", "f32[2] s32[2]", [](HloBuilder&, Ops x) { Add(x[0], x[1]); }},
    {"binary.operand-array", "(f32[]) f32[]", [](HloBuilder&, Ops x) { Add(x[0], x[1]); }},
    {"binary.no-pred", "pred[2] pred[2]", [](HloBuilder&, Ops x) { Sub(x[0], x[1]); }},
    {"logical.element-type", "f32[2] f32[2]", [](HloBuilder&, Ops x) { And(x[0], x[1]); }},
    {"builder.logical-pred", "s32[] s32[]", [](HloBuilder&, Ops x) { LogicalAnd(x[0], x[1]); }},
    {"builder.logical-pred", "u8[]", [](HloBuilder&, Ops x) { LogicalNot(x[0]); }},
    {"atan2.element-type", "s32[2] s32[2]", [](HloBuilder&, Ops x) { Atan2(x[0], x[1]); }},
    {"complex.component-type", "f16[] f16[]", [](HloBuilder&, Ops x) { Complex(x[0], x[1]); }},
    {"shift.integral", "f32[2] f32[2]", [](HloBuilder&, Ops x) { ShiftLeft(x[0], x[1]); }},
    {"mulhi.integral", "f32[2] f32[2]", [](HloBuilder&, Ops x) { MulHi(x[0], x[1]); }},
    {"maximum.complex", "c64[2] c64[2]", [](HloBuilder&, Ops x) { Max(x[0], x[1]); }},
    {"compare.type", "s32[] s32[]",
     [](HloBuilder&, Ops x) {
       Compare(x[0], x[1], {}, ComparisonDirection::kLt, ComparisonType::kFloat);
     }},
    {"compare.type", "f32[] f32[]",
     [](HloBuilder&, Ops x) {
       Compare(x[0], x[1], {}, ComparisonDirection::kLt, ComparisonType::kUnsigned);
     }},
    {"compare.total-order", "s32[] s32[]",
     [](HloBuilder&, Ops x) {
       Compare(x[0], x[1], {}, ComparisonDirection::kLt, ComparisonType::kTotalOrder);
     }},
    {"compare.complex-direction", "c64[] c64[]", [](HloBuilder&, Ops x) { Lt(x[0], x[1]); }},
    {"builder.ternary-scalars", "f32[2] f32[3] f32[]",
     [](HloBuilder&, Ops x) { Clamp(x[0], x[1], x[2]); }},
    {"builder.ternary-scalars", "pred[2] f32[3] f32[3]",
     [](HloBuilder&, Ops x) { Select(x[0], x[1], x[2]); }},
    {"clamp.operand-array", "f32[] (f32[]) f32[]",
     [](HloBuilder&, Ops x) { Clamp(x[0], x[1], x[2]); }},
    {"clamp.same-type", "f32[] s32[] f32[]", [](HloBuilder&, Ops x) { Clamp(x[0], x[1], x[2]); }},
    {"select.operand-array", "pred[] (f32[]) f32[]",
     [](HloBuilder&, Ops x) { Select(x[0], x[1], x[2]); }},
    {"select.pred-type", "s32[2] f32[2] f32[2]",
     [](HloBuilder&, Ops x) { Select(x[0], x[1], x[2]); }},
    {"select.branches", "pred[] f32[2] s32[2]",
     [](HloBuilder&, Ops x) { Select(x[0], x[1], x[2]); }},
    {"convert.array", "(f32[])",
     [](HloBuilder&, Ops x) { ConvertElementType(x[0], ElementType::kS32); }},
    {"convert.array", "f32[2]",
     [](HloBuilder&, Ops x) { ConvertElementType(x[0], ElementType::kToken); }},
    {"bitcast-convert.last-dim", "f16[5,3]",
     [](HloBuilder&, Ops x) { BitcastConvertType(x[0], ElementType::kF32); }},
    {"bitcast-convert.array", "(f32[])",
     [](HloBuilder&, Ops x) { BitcastConvertType(x[0], ElementType::kS32); }},
    {"bitcast-convert.complex", "c64[2]",
     [](HloBuilder&, Ops x) { BitcastConvertType(x[0], ElementType::kF64); }},
    {"bitcast-convert.width-multiple", "f6e3m2fn[8]",
     [](HloBuilder&, Ops x) { BitcastConvertType(x[0], ElementType::kF32); }},
    {"bitcast.same-size", "f32[4]", [](HloBuilder&, Ops x) { Bitcast(x[0], MakeShape("f32[5]")); }},
    {"reduce-precision.exponent-bits", "f32[]",
     [](HloBuilder&, Ops x) { ReducePrecision(x[0], ExponentBits{0}, MantissaBits{2}); }},
    {"reduce-precision.float", "s32[2]",
     [](HloBuilder&, Ops x) { ReducePrecision(x[0], ExponentBits{5}, MantissaBits{2}); }},
    {"reduce-precision.mantissa-bits", "f32[2]",
     [](HloBuilder&, Ops x) { ReducePrecision(x[0], ExponentBits{5}, MantissaBits{-1}); }},
    {"stochastic-convert.random-width", "f32[] u16[]",
     [](HloBuilder&, Ops x) { StochasticConvertType(x[0], x[1], ElementType::kF16); }},
    {"stochastic-convert.operand-float", "s32[2] u32[2]",
     [](HloBuilder&, Ops x) { StochasticConvertType(x[0], x[1], ElementType::kS8); }},
    {"stochastic-convert.random-unsigned", "f32[2] s32[2]",
     [](HloBuilder&, Ops x) { StochasticConvertType(x[0], x[1], ElementType::kBf16); }},
    {"stochastic-convert.same-shape", "f32[2] u32[3]",
     [](HloBuilder&, Ops x) { StochasticConvertType(x[0], x[1], ElementType::kBf16); }},
    {"stochastic-convert.target", "f32[2] u32[2]",
     [](HloBuilder&, Ops x) { StochasticConvertType(x[0], x[1], ElementType::kToken); }},
    {"accuracy.value", "f32[2]",
     [](HloBuilder&, Ops x) {
       Exp(x[0], ResultAccuracy{.has_tolerance = true, .ulps = INT64_MAX});
     }},
    {"convert.array", "f32[2]",
     [](HloBuilder&, Ops x) { ConvertElementType(x[0], ElementType::kBuffer); }},
    {"bitcast-convert.array", "f32[2]",
     [](HloBuilder&, Ops x) { BitcastConvertType(x[0], ElementType::kTuple); }},
    {"accuracy.tolerance-nonnegative", "f32[2]",
     [](HloBuilder&, Ops x) { Cbrt(x[0], ResultAccuracy{.has_tolerance = true, .atol = -1}); }},
    {"type.mixed-precision-operands", "f32[2] bf16[2]",
     [](HloBuilder&, Ops x) { Add(x[0], x[1]); }},
};

}  // namespace

Violations ElementwiseViolations() { return kViolations; }

}  // namespace hlo::testing
