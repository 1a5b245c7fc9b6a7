// A scalar beside an array shows its broadcast, and what HLO has no instruction for shows what it
// is made of (builder.md 1, 2). The type of a comparison appears only where it is not the usual
// one: total order of floats, never that of integers.
#include "builder/operation_examples.h"

namespace hlo::testing {

using namespace ops;

// What is not a row of elementwise.def, whose rows operations_test.cc walks.
std::vector<OperationExample> ElementwiseExamples() {
  return {
      {"Exp",
       [](HloBuilder& b) {
         return Exp(P(b, 0, "f32[2]"),
                    ResultAccuracy{.has_tolerance = true, .rtol = 0.5, .ulps = 2});
       },
       R"(
ROOT exponential = f32[2] exponential(p0), result_accuracy={tolerance={atol=0,rtol=0.5,ulps=2}}
)"},
      {"Tanh",
       [](HloBuilder& b) {
         return Tanh(P(b, 0, "f32[2]"), ResultAccuracy{.mode = AccuracyMode::kHighest});
       },
       R"(
ROOT tanh = f32[2] tanh(p0), result_accuracy={mode=highest}
)"},
      {"LogicalNot", [](HloBuilder& b) { return LogicalNot(P(b, 0, "pred[2]")); }, R"(
ROOT not = pred[2] not(p0)
)"},
      {"Compare",
       [](HloBuilder& b) {
         return Compare(P(b, 0, "f32[2]"), P(b, 1, "f32[]"), {}, ComparisonDirection::kLe,
                        ComparisonType::kTotalOrder);
       },
       R"(
broadcast = f32[2] broadcast(p1), dimensions={}
ROOT compare = pred[2] compare(p0, broadcast), direction=LE, type=TOTALORDER
)"},
      {"Compare",
       [](HloBuilder& b) {
         return Compare(P(b, 0, "u8[2]"), P(b, 1, "u8[2]"), ComparisonDirection::kNe);
       },
       R"(
ROOT compare = pred[2] compare(p0, p1), direction=NE
)"},
      {"EqTotalOrder",
       [](HloBuilder& b) { return EqTotalOrder(P(b, 0, "f32[]"), P(b, 1, "f32[]")); },
       R"(
ROOT compare = pred[] compare(p0, p1), direction=EQ, type=TOTALORDER
)"},
      {"EqTotalOrder",
       [](HloBuilder& b) { return EqTotalOrder(P(b, 0, "s32[]"), P(b, 1, "s32[]")); },
       R"(
ROOT compare = pred[] compare(p0, p1), direction=EQ
)"},
      {"Conj", [](HloBuilder& b) { return Conj(P(b, 0, "c64[2]")); }, R"(
real = f32[2] real(p0)
imag = f32[2] imag(p0)
negate = f32[2] negate(imag)
ROOT complex = c64[2] complex(real, negate)
)"},
      {"Clamp",
       [](HloBuilder& b) { return Clamp(P(b, 0, "s32[]"), P(b, 1, "s32[2]"), P(b, 2, "s32[2]")); },
       R"(
broadcast = s32[2] broadcast(p0), dimensions={}
ROOT clamp = s32[2] clamp(broadcast, p1, p2)
)"},
      {"Select",
       [](HloBuilder& b) {
         return Select(P(b, 0, "pred[2]"), P(b, 1, "f32[2]"), P(b, 2, "f32[]"));
       },
       R"(
broadcast = f32[2] broadcast(p2), dimensions={}
ROOT select = f32[2] select(p0, p1, broadcast)
)"},
      {"Select",
       [](HloBuilder& b) {
         return Select(P(b, 0, "pred[]"), P(b, 1, "(f32[], s32[2])"), P(b, 2, "(f32[], s32[2])"));
       },
       R"(
ROOT conditional = (f32[], s32[2]) conditional(p0, p1, p2), true_computation=identity, false_computation=identity.1
)"},
      {"ConvertElementType",
       [](HloBuilder& b) { return ConvertElementType(P(b, 0, "s32[2]"), ElementType::kBf16); },
       R"(
ROOT convert = bf16[2] convert(p0)
)"},
      {"ConvertElementType",
       [](HloBuilder& b) { return ConvertElementType(P(b, 0, "c64[2]"), ElementType::kS32); },
       R"(
real = f32[2] real(p0)
ROOT convert = s32[2] convert(real)
)"},
      {"BitcastConvertType",
       [](HloBuilder& b) { return BitcastConvertType(P(b, 0, "f32[2]"), ElementType::kU8); },
       R"(
ROOT bitcast-convert = u8[2,4] bitcast-convert(p0)
)"},
      {"BitcastConvertType",
       [](HloBuilder& b) { return BitcastConvertType(P(b, 0, "u16[3,2]"), ElementType::kF32); },
       R"(
ROOT bitcast-convert = f32[3] bitcast-convert(p0)
)"},
      {"Bitcast", [](HloBuilder& b) { return Bitcast(P(b, 0, "f32[2,3]"), MakeShape("s32[6]")); },
       R"(
ROOT bitcast = s32[6] bitcast(p0)
)"},
      {"ReducePrecision",
       [](HloBuilder& b) {
         return ReducePrecision(P(b, 0, "f32[2]"), ExponentBits{5}, MantissaBits{10});
       },
       R"(
ROOT reduce-precision = f32[2] reduce-precision(p0), exponent_bits=5, mantissa_bits=10
)"},
      {"StochasticConvertType",
       [](HloBuilder& b) {
         return StochasticConvertType(P(b, 0, "f32[2]"), P(b, 1, "u32[2]"), ElementType::kBf16);
       },
       R"(
ROOT stochastic-convert = bf16[2] stochastic-convert(p0, p1)
)"},
  };
}

}  // namespace hlo::testing
