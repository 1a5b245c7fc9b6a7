// Elementwise kernels on floats and complex numbers: the rules that surprise.
#include <gtest/gtest.h>

#include "interp/reference/elementwise_call.h"

namespace hlo::reference {
namespace {

// --- Floats ------------------------------------------------------------------------------------

TEST(ElementwiseFloatTest, ZerosAndNans) {
  ExpectSame(
      Binary<float>(Opcode::kMaximum, {kNan, 1, -0.0f, 0.0f, -kInf}, {1, kNan, 0.0f, -0.0f, 3}),
      {kNan, kNan, -0.0f, 0.0f, 3});
  ExpectSame(Binary<double>(Opcode::kMinimum, {kNan, 1, -0.0, 0.0, kInf}, {1, kNan, 0.0, -0.0, 3}),
             {kNan, kNan, -0.0, 0.0, 3});
  ExpectSame(Unary<float>(Opcode::kSign, {-2, -0.0f, 0.0f, kNan, kInf, 1e-45f}),
             {-1, -0.0f, 0.0f, kNan, 1, 1});
  ExpectSame(Unary<float>(Opcode::kAbs, {-0.0f, kNan, -kInf}), {0.0f, kNan, kInf});
  ExpectSame(Unary<float>(Opcode::kCeil, {-0.5f, 0.5f, kNan}), {-0.0f, 1, kNan});
  ExpectSame(Unary<float>(Opcode::kRoundNearestAfz, {-0.3f, 0.49999997f, 2.5f, -2.5f}),
             {-0.0f, 0, 3, -3});
  ExpectSame(Unary<float>(Opcode::kRoundNearestEven, {-0.3f, 1.5f, 2.5f, -2.5f}),
             {-0.0f, 2, 2, -2});
  ExpectSame(Unary<float>(Opcode::kRsqrt, {0.0f, -0.0f, -1, kInf}), {kInf, -kInf, kNan, 0});
}

TEST(ElementwiseFloatTest, SpecialValuesOfTranscendentals) {
  ExpectSame(Unary<float>(Opcode::kLog, {0.0f, -0.0f, -1, 1, kInf}), {-kInf, -kInf, kNan, 0, kInf});
  ExpectSame(Unary<float>(Opcode::kLogPlusOne, {-1, -2, -0.0f}), {-kInf, kNan, -0.0f});
  ExpectSame(Unary<float>(Opcode::kExponentialMinusOne, {-kInf, -0.0f}), {-1, -0.0f});
  ExpectSame(Unary<float>(Opcode::kLogistic, {-kInf, -200, 200, 0}), {0, 0, 1, 0.5f});
  ExpectSame(Unary<float>(Opcode::kTanh, {-kInf, -0.0f, kInf}), {-1, -0.0f, 1});
  ExpectSame(Unary<float>(Opcode::kAcosh, {1, 0.5f}), {0, kNan});
  ExpectSame(Unary<float>(Opcode::kAtanh, {1, -1, 2}), {kInf, -kInf, kNan});
  ExpectSame(Unary<double>(Opcode::kSine, {kInf, -0.0}), {kNan, -0.0});
}

TEST(ElementwiseFloatTest, PowerOfOneAndZero) {
  ExpectSame(
      Binary<float>(Opcode::kPower, {1, kNan, -1, 0.0f, -0.0f, -2}, {kNan, 0, kInf, -1, -1, 0.5f}),
      {1, 1, 1, kInf, -kInf, kNan});
}

TEST(ElementwiseFloatTest, SubnormalsAreKept) {
  ExpectSame(Binary<float>(Opcode::kMultiply, {1e-30f}, {1e-14f}), {1e-30f * 1e-14f});
  ExpectSame(Binary<float>(Opcode::kAdd, {1e-45f}, {1e-45f}), {2.8e-45f});
}

TEST(ElementwiseFloatTest, MixedPrecisionRoundsOnce) {
  KernelCall call(Opcode::kAdd, ArrayShape(ElementType::kBf16, {1}));
  call.Operand(MakeVector<float>({1.0f})).Operand(MakeVector<Bf16>({Bf16(0x1p-8f)}));
  EXPECT_EQ(static_cast<float>(ToVector<Bf16>(*call.Run())[0]), 1.0f);
  KernelCall wide(Opcode::kMultiply, ArrayShape(ElementType::kF32, {1}));
  wide.Operand(MakeVector<float>({1.1f})).Operand(MakeVector<Bf16>({Bf16(3.0f)}));
  EXPECT_EQ(ToVector<float>(*wide.Run())[0], 1.1f * 3.0f);
}

TEST(ElementwiseFloatTest, BlocksOfNarrowTypesMeetWithoutSeams) {
  std::vector<F16> x(1500);
  for (size_t i = 0; i < x.size(); ++i) x[i] = F16(static_cast<float>(i));
  const std::vector<F16> found = Unary<F16>(Opcode::kNegate, x);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(float(found[i]), -static_cast<float>(i));
}

TEST(ElementwiseFloatTest, OpcodesWithoutMeaningAreErrors) {
  KernelCall call(Opcode::kShiftLeft, ArrayShape(ElementType::kF32, {1}));
  call.Operand(MakeVector<float>({1})).Operand(MakeVector<float>({1}));
  EXPECT_EQ(call.Run().status().message(), "`shift-left` is not defined for element type f32");
  KernelCall types(Opcode::kAdd, ArrayShape(ElementType::kS32, {1}));
  types.Operand(MakeVector<int32_t>({1})).Operand(MakeVector<int64_t>({1}));
  EXPECT_EQ(types.Run().status().message(),
            "the operands of `add` have the element types s32 and s64");
}

TEST(ElementwiseFloatTest, ScalarsAndEmptyArrays) {
  KernelCall scalar(Opcode::kNegate, Shape::Scalar(ElementType::kF32));
  EXPECT_EQ(ToVector<float>(*scalar.Operand(Literal::Scalar(2.0f)).Run())[0], -2.0f);
  KernelCall empty(Opcode::kNegate, ArrayShape(ElementType::kF32, {0, 3}));
  EXPECT_TRUE(empty.Operand(MakeArray<float>({0, 3}, {})).Run().ok());
}

// --- Complex -----------------------------------------------------------------------------------

void ExpectNear(C64 found, C64 expected, float tolerance = 1e-6f) {
  EXPECT_LE(std::abs(found - expected), tolerance * std::max(1.0f, std::abs(expected)))
      << found << " instead of " << expected;
}

TEST(ElementwiseComplexTest, InfinitiesSurviveMultiplication) {
  const C64 product = Binary<C64>(Opcode::kMultiply, {{kInf, kInf}}, {{1, 0}})[0];
  EXPECT_TRUE(std::isinf(product.real()) && std::isinf(product.imag()));
}

TEST(ElementwiseComplexTest, DivisionDoesNotOverflowInside) {
  ExpectNear(Binary<C64>(Opcode::kDivide, {{1e38f, 1e38f}}, {{1e38f, 1e38f}})[0], 1);
  ExpectNear(Binary<C64>(Opcode::kDivide, {{1e-38f, 0}}, {{1e-38f, 1e-38f}})[0], {0.5f, -0.5f});
}

TEST(ElementwiseComplexTest, AbsAndSign) {
  EXPECT_EQ((Unary<C64, float>(Opcode::kAbs, {{3, 4}, {-kInf, kNan}, {3e38f, 0}})),
            (std::vector<float>{5, kInf, 3e38f}));
  EXPECT_EQ(Unary<C64>(Opcode::kSign, {{0.0f, -0.0f}, {0, -2}}), (std::vector<C64>{0, {0, -1}}));
}

TEST(ElementwiseComplexTest, ExpMinusOneAndLogPlusOneAreExactNearZero) {
  ExpectNear(Unary<C64>(Opcode::kExponentialMinusOne, {{1e-10f, 1e-10f}})[0] * 1e10f, {1, 1});
  ExpectNear(Unary<C64>(Opcode::kLogPlusOne, {{1e-10f, 1e-10f}})[0] * 1e10f, {1, 1});
  ExpectNear(Unary<C64>(Opcode::kExponentialMinusOne, {{1, 2}})[0], std::exp(C64(1, 2)) - C64(1));
  ExpectNear(Unary<C64>(Opcode::kLogPlusOne, {{1, 2}})[0], std::log(C64(2, 2)));
  EXPECT_EQ(Unary<C64>(Opcode::kExponentialMinusOne, {{kInf, 0}})[0], C64(kInf, 0));
  ExpectNear(Unary<C64>(Opcode::kLogPlusOne, {{1e30f, 0}})[0], std::log(1e30f));
}

TEST(ElementwiseComplexTest, Powers) {
  ExpectNear(Binary<C64>(Opcode::kPower, {{0, 1}}, {{2, 0}})[0], -1);
  EXPECT_EQ(Binary<C64>(Opcode::kPower, {{0, 0}, {1, 0}, {0, 0}}, {{0, 0}, {kNan, 0}, {2, 1}}),
            (std::vector<C64>{1, 1, 0}));
  EXPECT_EQ(Binary<C64>(Opcode::kPower, {{kInf, 0}, {kInf, 0}}, {{2, 0}, {-1, 0}}),
            (std::vector<C64>{kInf, 0}));
}

TEST(ElementwiseComplexTest, PartsOfRealNumbers) {
  ExpectSame(Unary<float>(Opcode::kReal, {-2, kNan}), {-2, kNan});
  ExpectSame(Unary<float>(Opcode::kImag, {-2, kNan}), {0, 0});
  EXPECT_EQ((Binary<double, C128>(Opcode::kComplex, {1}, {-0.0})), (std::vector<C128>{{1, -0.0}}));
}

}  // namespace
}  // namespace hlo::reference
