// compare, clamp, select, and the conversions that round in their own way.
#include <gtest/gtest.h>

#include "interp/reference/elementwise_call.h"

namespace hlo::reference {
namespace {

// --- Comparison, selection ---------------------------------------------------------------------

std::vector<bool> Compare(ComparisonDirection direction, bool total_order, const Literal& a,
                          const Literal& b) {
  KernelCall call(Opcode::kCompare, ArrayShape(ElementType::kPred, {a.element_count()}));
  call.Operand(a).Operand(b).With<Attr::kDirection>(direction);
  if (total_order) call.With<Attr::kCompareType>(ComparisonType::kTotalOrder);
  const Literal result = *call.Run();
  return std::vector<bool>(result.elements<bool>().begin(), result.elements<bool>().end());
}

// All codes of a format in total order: -NaN, -Inf, ... -0, +0, ... Inf, NaN.
std::vector<uint32_t> CodesInTotalOrder(ElementType type) {
  const FloatFormat& format = GetElementTypeInfo(type).format;
  const uint32_t codes = 1u << format.bit_width;
  std::vector<uint32_t> order;
  if (format.kind == FloatKind::kExponentOnly) {
    for (uint32_t code = 0; code < codes; ++code) order.push_back(code);
    return order;
  }
  if (format.kind == FloatKind::kFnuz) order.push_back(codes / 2);  // its NaN
  for (uint32_t code = codes - 1; code > codes / 2; --code) order.push_back(code);
  if (format.kind != FloatKind::kFnuz) order.push_back(codes / 2);  // -0
  for (uint32_t code = 0; code < codes / 2; ++code) order.push_back(code);
  return order;
}

TEST(CompareTest, TotalOrderOfEveryFormatOfAByte) {
  for (ElementType type : FloatsOfAByte()) {
    const std::vector<uint32_t> order = CodesInTotalOrder(type);
    const int64_t count = static_cast<int64_t>(order.size());
    Literal a = *Literal::Zeros(ArrayShape(type, {count * count}));
    Literal b = a;
    for (int64_t i = 0; i < count * count; ++i) {
      a.bytes()[i] = static_cast<std::byte>(order[i / count]);
      b.bytes()[i] = static_cast<std::byte>(order[i % count]);
    }
    const std::vector<bool> less = Compare(ComparisonDirection::kLt, true, a, b);
    const std::vector<bool> equal = Compare(ComparisonDirection::kEq, true, a, b);
    for (int64_t i = 0; i < count * count; ++i) {
      ASSERT_EQ(less[i], i / count < i % count) << ElementTypeName(type) << i;
      ASSERT_EQ(equal[i], i / count == i % count) << ElementTypeName(type) << i;
    }
  }
}

template <typename T>
void CheckTotalOrder() {
  const T nan = static_cast<T>(kNan);
  const T inf = static_cast<T>(kInf);
  const std::vector<T> order = {
      static_cast<T>(-kNan), T(-inf), T(-1.0f), T(-0.0f), T(0.0f), T(1.0f), inf, nan};
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < order.size(); ++j) {
      const auto less = Compare(ComparisonDirection::kLt, true, MakeVector<T>({order[i]}),
                                MakeVector<T>({order[j]}));
      EXPECT_EQ(less[0], i < j) << ElementTypeName(kElementTypeOf<T>) << " " << i << " " << j;
    }
  }
}

TEST(CompareTest, TotalOrderOfWiderFormats) {
  CheckTotalOrder<F16>();
  CheckTotalOrder<Bf16>();
  CheckTotalOrder<float>();
  CheckTotalOrder<double>();
}

TEST(CompareTest, PartialOrderKnowsNansAndZeros) {
  const Literal a = MakeVector<float>({1, kNan, -0.0f, 2});
  const Literal b = MakeVector<float>({1, 1, 0.0f, kNan});
  using Bools = std::vector<bool>;
  EXPECT_EQ(Compare(ComparisonDirection::kEq, false, a, b), (Bools{true, false, true, false}));
  EXPECT_EQ(Compare(ComparisonDirection::kNe, false, a, b), (Bools{false, true, false, true}));
  EXPECT_EQ(Compare(ComparisonDirection::kLe, false, a, b), (Bools{true, false, true, false}));
  EXPECT_EQ(Compare(ComparisonDirection::kLt, false, a, b), (Bools{false, false, false, false}));
}

TEST(CompareTest, ComplexNumbersHaveNoOrder) {
  const Literal a = MakeVector<C64>({{1, 2}, {kNan, 0}});
  EXPECT_EQ(Compare(ComparisonDirection::kEq, false, a, a), (std::vector<bool>{true, false}));
  KernelCall call(Opcode::kCompare, ArrayShape(ElementType::kPred, {2}));
  call.Operand(a).Operand(a).With<Attr::kDirection>(ComparisonDirection::kLt);
  EXPECT_EQ(call.Run().status().message(), "`compare` is not defined for element type c64");
}

TEST(CompareTest, UnsignedValuesAboveHalfTheRange) {
  EXPECT_EQ(Compare(ComparisonDirection::kGt, false, MakeVector<uint64_t>({~uint64_t{0}}),
                    MakeVector<uint64_t>({1})),
            (std::vector<bool>{true}));
}

TEST(ClampTest, ScalarBoundsAndNans) {
  KernelCall call(Opcode::kClamp, ArrayShape(ElementType::kF32, {4}));
  call.Operand(Literal::Scalar(0.0f))
      .Operand(MakeVector<float>({-1, 9, kNan, 3}))
      .Operand(Literal::Scalar(6.0f));
  ExpectSame(ToVector<float>(*call.Run()), {0, 6, kNan, 3});
  KernelCall crossed(Opcode::kClamp, ArrayShape(ElementType::kU8, {2}));
  crossed.Operand(MakeVector<uint8_t>({5, 1}))
      .Operand(MakeVector<uint8_t>({3, 3}))
      .Operand(MakeVector<uint8_t>({2, 9}));
  EXPECT_EQ(ToVector<uint8_t>(*crossed.Run()), (std::vector<uint8_t>{2, 3}));
}

TEST(SelectTest, MovesBits) {
  Literal predicate = *Literal::Zeros(ArrayShape(ElementType::kPred, {2}));
  predicate.elements<bool>()[1] = true;
  KernelCall call(Opcode::kSelect, ArrayShape(ElementType::kF32, {2}));
  const float payload = std::bit_cast<float>(0x7fc01234);
  call.Operand(predicate)
      .Operand(MakeVector<float>({1, payload}))
      .Operand(MakeVector<float>({-0.0f, 4}));
  const std::vector<float> result = ToVector<float>(*call.Run());
  EXPECT_EQ(std::bit_cast<uint32_t>(result[0]), 0x80000000);
  EXPECT_EQ(std::bit_cast<uint32_t>(result[1]), 0x7fc01234u);
}

TEST(SelectTest, AScalarPredicateChoosesTuples) {
  const Shape pair =
      Shape::Tuple({Shape::Scalar(ElementType::kS32), Shape::Scalar(ElementType::kF32)});
  KernelCall call(Opcode::kSelect, pair);
  const auto make = [](int32_t a, float b) {
    return Literal::Tuple({Literal::Scalar(a), Literal::Scalar(b)});
  };
  call.Operand(Literal::Scalar(false)).Operand(make(1, 2)).Operand(make(3, 4));
  const Literal result = *call.Run();
  EXPECT_EQ(result.tuple_elements()[0].elements<int32_t>()[0], 3);
  EXPECT_EQ(result.tuple_elements()[1].elements<float>()[0], 4);
}

// --- Rounding ----------------------------------------------------------------------------------

template <typename T>
std::vector<T> ReducePrecision(int64_t exponent_bits, int64_t mantissa_bits, std::vector<T> x) {
  KernelCall call(Opcode::kReducePrecision,
                  ArrayShape(kElementTypeOf<T>, {static_cast<int64_t>(x.size())}));
  call.Operand(MakeVector(x))
      .template With<Attr::kExponentBits>(exponent_bits)
      .template With<Attr::kMantissaBits>(mantissa_bits);
  return ToVector<T>(*call.Run());
}

TEST(ReducePrecisionTest, RoundsFlushesAndOverflows) {
  ExpectSame(ReducePrecision<float>(5, 10, {65519, 65520, 6.1e-5f, -1e-30f, kNan}),
             {65504, kInf, 0, -0.0f, kNan});
  ExpectSame(ReducePrecision<float>(2, 0, {1.5f, 0.6f, kNan}), {2, 0, kInf});
  ExpectSame(ReducePrecision<double>(8, 23, {0.1, 1e300}), {static_cast<double>(0.1f), kInf});
  ExpectSame(ReducePrecision<double>(11, 52, {0.1, 5e-324}), {0.1, 5e-324});
  // The carrier of f16 is f32, so that f16's own subnormals flush (semantics.md 5.2).
  EXPECT_EQ(ReducePrecision<F16>(5, 10, {F16(0x1p-20f), F16(0x1p-14f)})[0].bits(), 0);
}

TEST(StochasticConvertTest, ComparesTheFractionWithTheRandomBits) {
  KernelCall call(Opcode::kStochasticConvert, ArrayShape(ElementType::kS8, {7}));
  call.Operand(MakeVector<float>({1.25f, 1.25f, -2.5f, -2.5f, 127.5f, -127.5f, kNan}))
      .Operand(
          MakeVector<uint32_t>({0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0, 0xffffffff, 0}));
  EXPECT_EQ(ToVector<int8_t>(*call.Run()), (std::vector<int8_t>{2, 1, -3, -2, 127, -127, 0}));
  KernelCall half(Opcode::kStochasticConvert, ArrayShape(ElementType::kS4, {3}));
  half.Operand(MakeVector<Bf16>({Bf16(0.5f), Bf16(0.5f), Bf16(-100.0f)}))
      .Operand(MakeVector<uint16_t>({0x7fff, 0x8000, 0}));
  EXPECT_EQ(ToVector<S4>(*half.Run()), (std::vector<S4>{S4(1), S4(0), S4(-8)}));
}

}  // namespace
}  // namespace hlo::reference
