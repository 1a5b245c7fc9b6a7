// Elementwise kernels on all pairs of values: of 8-bit floats against f64 arithmetic rounded by
// search, of small integers against arithmetic in 64 bits.
#include <gtest/gtest.h>

#include "interp/reference/elementwise_call.h"
#include "ir/slow_float.h"

namespace hlo::reference {
namespace {

// --- Narrow floats, exhaustively ---------------------------------------------------------------

// Every pair of codes of `type`.
struct CodePairs {
  explicit CodePairs(ElementType type) {
    const int codes = 1 << BitWidth(type);
    const std::vector<int64_t> dims = {codes, codes};
    a = *Literal::Zeros(ArrayShape(type, dims));
    b = a;
    for (int i = 0; i < codes * codes; ++i) {
      a.bytes()[i] = static_cast<std::byte>(i / codes);
      b.bytes()[i] = static_cast<std::byte>(i % codes);
    }
  }
  Literal a;
  Literal b;
};

bool SameNumber(const SlowFloat& format, uint32_t found, uint32_t expected) {
  return found == expected ||
         (std::isnan(format.Decode(found)) && std::isnan(format.Decode(expected)));
}

// f64 holds sums and products of f8 exactly, and a quotient rounded to f32 and then to 8 bits is
// the same as one rounded from f64: 24 bits are more than twice 5.
void CheckAllPairs(ElementType type, Opcode opcode, double (*function)(double, double)) {
  const SlowFloat format(GetElementTypeInfo(type).format);
  const CodePairs pairs(type);
  KernelCall call(opcode, pairs.a.shape());
  const Literal result = *call.Operand(pairs.a).Operand(pairs.b).Run();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    const uint32_t a = std::to_integer<uint32_t>(pairs.a.bytes()[i]);
    const uint32_t b = std::to_integer<uint32_t>(pairs.b.bytes()[i]);
    const uint32_t found = std::to_integer<uint32_t>(result.bytes()[i]);
    const float exact = static_cast<float>(function(format.Decode(a), format.Decode(b)));
    const uint32_t expected = format.Encode(exact);
    ASSERT_TRUE(SameNumber(format, found, expected))
        << ElementTypeName(type) << " " << OpcodeName(opcode) << " " << a << " " << b << ": "
        << found << " instead of " << expected;
  }
}

TEST(ElementwiseNarrowFloatTest, ArithmeticOnAllPairs) {
  for (ElementType type : FloatsOfAByte()) {
    CheckAllPairs(type, Opcode::kAdd, [](double a, double b) { return a + b; });
    CheckAllPairs(type, Opcode::kSubtract, [](double a, double b) { return a - b; });
    CheckAllPairs(type, Opcode::kMultiply, [](double a, double b) { return a * b; });
    CheckAllPairs(type, Opcode::kDivide, [](double a, double b) { return a / b; });
    CheckAllPairs(type, Opcode::kRemainder, [](double a, double b) { return std::fmod(a, b); });
    CheckAllPairs(type, Opcode::kMaximum, [](double a, double b) {
      return std::isnan(a) ? a : std::isnan(b) ? b : a >= b ? a : b;
    });
    CheckAllPairs(type, Opcode::kMinimum, [](double a, double b) {
      return std::isnan(a) ? a : std::isnan(b) ? b : a <= b ? a : b;
    });
  }
}

// --- Integers ----------------------------------------------------------------------------------

template <typename T>
void CheckSmallIntegers(Opcode opcode, int64_t (*function)(int64_t a, int64_t b, int bits)) {
  const int bits = BitWidth(kElementTypeOf<T>);
  std::vector<T> a;
  std::vector<T> b;
  for (int i = 0; i < (1 << bits); ++i) {
    for (int j = 0; j < (1 << bits); ++j) {
      a.push_back(T(i));
      b.push_back(T(j));
    }
  }
  const std::vector<T> found = Binary<T>(opcode, a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const T expected = T(function(static_cast<int64_t>(a[i]), static_cast<int64_t>(b[i]), bits));
    ASSERT_EQ(static_cast<int64_t>(found[i]), static_cast<int64_t>(expected))
        << ElementTypeName(kElementTypeOf<T>) << " " << OpcodeName(opcode) << " "
        << static_cast<int64_t>(a[i]) << " " << static_cast<int64_t>(b[i]);
  }
}

int64_t SlowPower(int64_t base, int64_t exponent, int) {
  if (base == 1 || exponent == 0) return 1;
  if (exponent < 0) return 0;
  uint64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i) result *= static_cast<uint64_t>(base);
  return static_cast<int64_t>(result);
}
int64_t LowBits(int64_t x, int bits) { return x & ((int64_t{1} << bits) - 1); }

template <typename T>
void CheckSmallIntegerType() {
  CheckSmallIntegers<T>(Opcode::kAdd, [](int64_t a, int64_t b, int) { return a + b; });
  CheckSmallIntegers<T>(Opcode::kSubtract, [](int64_t a, int64_t b, int) { return a - b; });
  CheckSmallIntegers<T>(Opcode::kMultiply, [](int64_t a, int64_t b, int) { return a * b; });
  CheckSmallIntegers<T>(Opcode::kDivide,
                        [](int64_t a, int64_t b, int) { return b == 0 ? -1 : a / b; });
  CheckSmallIntegers<T>(Opcode::kRemainder,
                        [](int64_t a, int64_t b, int) { return b == 0 ? a : a % b; });
  CheckSmallIntegers<T>(Opcode::kMultiplyHigh,
                        [](int64_t a, int64_t b, int bits) { return (a * b) >> bits; });
  CheckSmallIntegers<T>(Opcode::kMaximum, [](int64_t a, int64_t b, int) { return std::max(a, b); });
  CheckSmallIntegers<T>(Opcode::kMinimum, [](int64_t a, int64_t b, int) { return std::min(a, b); });
  CheckSmallIntegers<T>(Opcode::kPower, SlowPower);
  CheckSmallIntegers<T>(Opcode::kAnd, [](int64_t a, int64_t b, int) { return a & b; });
  CheckSmallIntegers<T>(Opcode::kOr, [](int64_t a, int64_t b, int) { return a | b; });
  CheckSmallIntegers<T>(Opcode::kXor, [](int64_t a, int64_t b, int) { return a ^ b; });
  CheckSmallIntegers<T>(Opcode::kShiftLeft, [](int64_t a, int64_t b, int bits) {
    const int64_t amount = LowBits(b, bits);
    return amount >= bits ? 0 : a * (int64_t{1} << amount);
  });
  CheckSmallIntegers<T>(Opcode::kShiftRightLogical, [](int64_t a, int64_t b, int bits) {
    const int64_t amount = LowBits(b, bits);
    return amount >= bits ? 0 : LowBits(a, bits) >> amount;
  });
  CheckSmallIntegers<T>(Opcode::kShiftRightArithmetic, [](int64_t a, int64_t b, int bits) {
    const int64_t top = LowBits(a, bits) >> (bits - 1);
    const int64_t value = LowBits(a, bits) - (top << bits);
    return value >> std::min<int64_t>(LowBits(b, bits), bits - 1);
  });
}

TEST(ElementwiseIntegerTest, AllPairsOfNarrowIntegers) {
  CheckSmallIntegerType<S1>();
  CheckSmallIntegerType<S2>();
  CheckSmallIntegerType<S4>();
  CheckSmallIntegerType<int8_t>();
  CheckSmallIntegerType<U1>();
  CheckSmallIntegerType<U2>();
  CheckSmallIntegerType<U4>();
  CheckSmallIntegerType<uint8_t>();
}

template <typename T>
void CheckEdges() {
  constexpr T kMin = std::numeric_limits<T>::min();
  constexpr T kMax = std::numeric_limits<T>::max();
  EXPECT_EQ(Binary<T>(Opcode::kAdd, {kMax, kMin}, {T(1), kMax}),
            (std::vector<T>{kMin, T(kMin + kMax)}));
  EXPECT_EQ(Binary<T>(Opcode::kMultiply, {kMax}, {kMax}), (std::vector<T>{1}));
  EXPECT_EQ(Binary<T>(Opcode::kDivide, {kMin, kMax}, {T(-1), T(0)}),
            (std::vector<T>{std::is_signed_v<T> ? kMin : T(0), T(-1)}));
  EXPECT_EQ(Binary<T>(Opcode::kRemainder, {kMin, kMax}, {T(-1), T(0)}), (std::vector<T>{0, kMax}));
  EXPECT_EQ(Unary<T>(Opcode::kNegate, {kMin, T(1)}), (std::vector<T>{kMin, T(-1)}));
  EXPECT_EQ(Unary<T>(Opcode::kNot, {0, T(-1)}), (std::vector<T>{T(-1), 0}));
  constexpr T kBits = static_cast<T>(sizeof(T) * 8);
  EXPECT_EQ(Unary<T>(Opcode::kPopulationCount, {0, T(-1), 5}), (std::vector<T>{0, kBits, 2}));
  EXPECT_EQ(Unary<T>(Opcode::kCountLeadingZeros, {0, T(-1), 1}),
            (std::vector<T>{kBits, 0, static_cast<T>(kBits - 1)}));
}

TEST(ElementwiseIntegerTest, EdgesOfEveryWidth) {
  CheckEdges<int8_t>();
  CheckEdges<int16_t>();
  CheckEdges<int32_t>();
  CheckEdges<int64_t>();
  CheckEdges<uint8_t>();
  CheckEdges<uint16_t>();
  CheckEdges<uint32_t>();
  CheckEdges<uint64_t>();
}

TEST(ElementwiseIntegerTest, HighProductsOf64Bits) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Binary<int64_t>(Opcode::kMultiplyHigh, {kMin, kMin, -1}, {kMin, 1, 1}),
            (std::vector<int64_t>{int64_t{1} << 62, -1, -1}));
  EXPECT_EQ(Binary<uint64_t>(Opcode::kMultiplyHigh, {~uint64_t{0}}, {~uint64_t{0}}),
            (std::vector<uint64_t>{~uint64_t{1}}));
}

TEST(ElementwiseIntegerTest, SubByteCountsUseTheLogicalWidth) {
  EXPECT_EQ(Unary<S4>(Opcode::kPopulationCount, {S4(-1), S4(-8)}), (std::vector<S4>{S4(4), S4(1)}));
  EXPECT_EQ(Unary<U4>(Opcode::kCountLeadingZeros, {U4(0), U4(1), U4(15)}),
            (std::vector<U4>{U4(4), U4(3), U4(0)}));
}

TEST(ElementwisePredTest, ArithmeticIsLogic) {
  const auto table = [](Opcode opcode) {
    KernelCall call(opcode, ArrayShape(ElementType::kPred, {4}));
    Literal a = *Literal::Zeros(ArrayShape(ElementType::kPred, {4}));
    Literal b = a;
    for (int i = 0; i < 4; ++i) {
      a.elements<bool>()[i] = i & 2;
      b.elements<bool>()[i] = i & 1;
    }
    const Literal result = *call.Operand(a).Operand(b).Run();
    int bits = 0;
    for (int i = 0; i < 4; ++i) bits |= result.elements<bool>()[i] << i;
    return bits;
  };
  EXPECT_EQ(table(Opcode::kAdd), 0b1110);
  EXPECT_EQ(table(Opcode::kMultiply), 0b1000);
  EXPECT_EQ(table(Opcode::kMaximum), 0b1110);
  EXPECT_EQ(table(Opcode::kMinimum), 0b1000);
  EXPECT_EQ(table(Opcode::kXor), 0b0110);
}

}  // namespace
}  // namespace hlo::reference
