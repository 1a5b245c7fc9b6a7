// The narrow floats against a second, slow definition: the value of each code from its fields by
// ldexp, and rounding by searching all codes for the nearest.
#include "ir/narrow_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

namespace hlo {
namespace {

// The value of `code`, after the table of semantics.md 1.2.
double SlowDecode(const FloatFormat& f, uint32_t code) {
  if (f.kind == FloatKind::kExponentOnly) return code == 0xff ? NAN : std::ldexp(1.0, code - 127);
  const bool negative = code >> (f.bit_width - 1);
  const uint32_t magnitude = code & ((1u << (f.bit_width - 1)) - 1);
  const uint32_t exponent = magnitude >> f.mantissa_bits;
  const uint32_t mantissa = magnitude & ((1u << f.mantissa_bits) - 1);
  const uint32_t top = (1u << f.exponent_bits) - 1;
  if (f.kind == FloatKind::kIeee && exponent == top) {
    return mantissa != 0 ? NAN : negative ? -INFINITY : INFINITY;
  }
  if (f.kind == FloatKind::kFn && magnitude == (1u << (f.bit_width - 1)) - 1) return NAN;
  if (f.kind == FloatKind::kFnuz && negative && magnitude == 0) return NAN;
  const double value = exponent == 0
                           ? std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits)
                           : std::ldexp(mantissa + (1u << f.mantissa_bits),
                                        static_cast<int>(exponent) - f.bias - f.mantissa_bits);
  return negative ? -value : value;
}

// The finite code nearest to `value`; ties to the even code. Only for values in range.
uint32_t SlowEncode(const FloatFormat& f, double value) {
  uint32_t best = 0;
  double best_distance = INFINITY;
  for (uint32_t code = 0; code < (1u << f.bit_width); ++code) {
    const double candidate = SlowDecode(f, code);
    // Where there is no -0, small negative numbers round to the one zero.
    const bool other_sign = std::signbit(candidate) != std::signbit(value) &&
                            !(f.kind == FloatKind::kFnuz && candidate == 0);
    if (!std::isfinite(candidate) || other_sign) continue;
    const double distance = std::fabs(candidate - value);
    if (distance < best_distance || (distance == best_distance && code % 2 == 0)) {
      best = code;
      best_distance = distance;
    }
  }
  return best;
}

template <typename T>
class NarrowFloatTest : public ::testing::Test {};
using Formats = ::testing::Types<F16, Bf16, F8E5M2, F8E4M3, F8E4M3Fn, F8E4M3B11Fnuz, F8E3M4,
                                 F8E5M2Fnuz, F8E4M3Fnuz, F8E8M0Fnu, F6E3M2Fn, F6E2M3Fn, F4E2M1Fn>;
TYPED_TEST_SUITE(NarrowFloatTest, Formats);

TYPED_TEST(NarrowFloatTest, EveryCodeHasItsValueAndComesBack) {
  const FloatFormat& format = TypeParam::kFormat;
  for (uint32_t code = 0; code < (1u << format.bit_width); ++code) {
    const auto number = TypeParam::FromBits(static_cast<typename TypeParam::Bits>(code));
    const double expected = SlowDecode(format, code);
    const float value = number;
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      continue;
    }
    ASSERT_EQ(value, expected) << code;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << code;
    ASSERT_EQ(TypeParam(value).bits(), code);
    ASSERT_EQ(TypeParam(static_cast<double>(value)).bits(), code);
  }
}

TYPED_TEST(NarrowFloatTest, RoundsToTheNearestEvenCode) {
  const FloatFormat& format = TypeParam::kFormat;
  const double largest = SlowDecode(format, format.max_finite());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-20, std::log2(largest));
  const int draws = format.bit_width == 16 ? 60 : 2000;  // the search is slow
  for (int i = 0; i < draws; ++i) {
    // Floats, so that the path through f32 of the 16-bit types rounds once.
    double value = static_cast<float>(std::exp2(exponent(random)));
    if (format.kind == FloatKind::kExponentOnly) {
      // Ties go up: the nearer power of two, the larger one from 1.5 on.
      const double below = std::exp2(std::floor(std::log2(value)));
      ASSERT_EQ(static_cast<float>(TypeParam(value)), value >= 1.5 * below ? 2 * below : below);
      continue;
    }
    if (i % 2 == 1) value = -value;
    ASSERT_EQ(TypeParam(value).bits(), SlowEncode(format, value)) << value;
  }
}

TYPED_TEST(NarrowFloatTest, TiesBetweenNeighboursGoToEven) {
  const FloatFormat& format = TypeParam::kFormat;
  if (format.kind == FloatKind::kExponentOnly) GTEST_SKIP() << "ties go up there";
  for (uint32_t code = 0; code + 1 <= format.max_finite(); ++code) {
    const double tie = (SlowDecode(format, code) + SlowDecode(format, code + 1)) / 2;
    ASSERT_EQ(TypeParam(tie).bits(), code % 2 == 0 ? code : code + 1) << tie;
  }
}

// Limits as semantics.md 1.2 gives them.
TEST(NarrowFloat, Overflow) {
  EXPECT_EQ(F16(65519.0f).bits(), 0x7bff);
  EXPECT_EQ(F16(65520.0f).bits(), 0x7c00);
  EXPECT_EQ(F8E5M2(61439.0).bits(), 0x7b);
  EXPECT_EQ(F8E5M2(61440.0).bits(), 0x7c);
  EXPECT_EQ(F8E4M3(248.0).bits(), 0x78);
  EXPECT_EQ(F8E3M4(15.75).bits(), 0x70);
  EXPECT_EQ(F8E4M3Fn(464.0).bits(), 0x7e);
  EXPECT_EQ(F8E4M3Fn(464.5).bits(), 0x7f);
  EXPECT_EQ(F8E5M2Fnuz(61440.0).bits(), 0x80);
  EXPECT_EQ(F8E4M3Fnuz(248.0).bits(), 0x80);
  EXPECT_EQ(F8E4M3B11Fnuz(31.0).bits(), 0x80);
  EXPECT_EQ(F4E2M1Fn(100.0).bits(), 0x7);
  EXPECT_EQ(F4E2M1Fn(-INFINITY).bits(), 0xf);
  EXPECT_EQ(F8E8M0Fnu(-1.0).bits(), 0xff);
  EXPECT_EQ(F8E8M0Fnu(0.0).bits(), 0xff);
}

TEST(NarrowFloat, NaNKeepsItsSignWhereTheFormatCan) {
  EXPECT_EQ(F16(-NAN).bits(), 0xfe00);
  EXPECT_EQ(Bf16(NAN).bits(), 0x7fc0);
  EXPECT_EQ(F8E5M2(NAN).bits(), 0x7e);
  EXPECT_EQ(F8E4M3(-NAN).bits(), 0xfc);
  EXPECT_EQ(F8E4M3Fn(-NAN).bits(), 0xff);
  EXPECT_EQ(F8E5M2Fnuz(-NAN).bits(), 0x80);
  EXPECT_EQ(F4E2M1Fn(NAN).bits(), 0x8);
  EXPECT_EQ(F4E2M1Fn(-NAN).bits(), 0x0);
}

TEST(NarrowFloat, DoublesReachF16ThroughF32) {
  // 1 + 2^-11 + 2^-40 is just above the tie, but f32 drops the last bit: even wins.
  EXPECT_EQ(F16(1.0 + std::exp2(-11) + std::exp2(-40)).bits(), 0x3c00);
}

TEST(NarrowInt, WrapsToItsWidth) {
  EXPECT_EQ(S4(8), -8);
  EXPECT_EQ(S4(-9), 7);
  EXPECT_EQ(U4(16), 0);
  EXPECT_EQ(U2(-1), 3);
  EXPECT_EQ(S1(1), -1);
  EXPECT_EQ(U1(1), 1);
}

}  // namespace
}  // namespace hlo
