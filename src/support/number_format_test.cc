// Numbers known by heart, then random ones beside C's printf and strtod (grammar.md 10.9): any
// pattern of bits, and few digits at all magnitudes.
#include "support/number_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace hlo {
namespace {

template <typename Write>
std::string Text(Write write) {
  char buffer[kMaxNumberSize];
  return std::string(buffer, write(buffer));
}
std::string FloatText(float value) {
  return Text([&](char* out) { return WriteFloat(out, value); });
}
std::string DoubleText(double value) {
  return Text([&](char* out) { return WriteDouble(out, value); });
}

// The rule as grammar.md 10.9 states it, with C's printf.
std::string ExpectedFloat(float value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.6g", value);
  if (std::strtof(buffer, nullptr) != value) std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  return buffer;
}
std::string ExpectedDouble(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.15g", value);
  if (std::strtod(buffer, nullptr) != value) std::snprintf(buffer, sizeof(buffer), "%.17g", value);
  return buffer;
}

TEST(NumberFormat, Integers) {
  auto text = [](int64_t value) { return Text([&](char* out) { return WriteInt(out, value); }); };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(-7), "-7");
  EXPECT_EQ(text(10), "10");
  EXPECT_EQ(text(99), "99");
  EXPECT_EQ(text(100), "100");
  EXPECT_EQ(text(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(text(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Text([](char* out) { return WriteUint(out, UINT64_MAX); }), "18446744073709551615");
}

TEST(NumberFormat, FloatsKnownByHeart) {
  EXPECT_EQ(FloatText(42.0f), "42");
  EXPECT_EQ(FloatText(0.1f), "0.1");
  EXPECT_EQ(FloatText(-0.0f), "-0");
  EXPECT_EQ(FloatText(999999.0f), "999999");
  EXPECT_EQ(FloatText(1e6f), "1e+06");
  EXPECT_EQ(FloatText(1234567.0f), "1234567");
  EXPECT_EQ(FloatText(1e-4f), "0.0001");
  EXPECT_EQ(FloatText(1e-5f), "1e-05");
  EXPECT_EQ(FloatText(std::numeric_limits<float>::max()), "3.40282347e+38");
  EXPECT_EQ(FloatText(std::numeric_limits<float>::denorm_min()), "1.4013e-45");
  EXPECT_EQ(FloatText(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(DoubleText(0.1), "0.1");
  EXPECT_EQ(DoubleText(1.0 / 3), "0.33333333333333331");
  EXPECT_EQ(DoubleText(1e15), "1e+15");
  EXPECT_EQ(DoubleText(std::numeric_limits<double>::infinity()), "inf");
}

TEST(NumberFormat, FloatsAgreeWithPrintf) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(FloatText(value), ExpectedFloat(value));
    // Few digits, all magnitudes.
    const double few = static_cast<double>(random() % 10000000) *
                       std::pow(10.0, static_cast<int>(random() % 70) - 40);
    ASSERT_EQ(FloatText(static_cast<float>(few)), ExpectedFloat(static_cast<float>(few)));
    ASSERT_EQ(DoubleText(few), ExpectedDouble(few));
  }
}

TEST(NumberFormat, DoublesAgreeWithPrintf) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(DoubleText(value), ExpectedDouble(value));
  }
}

TEST(NumberFormat, SixDigitsUnlessTheyLose) {
  auto text = [](double value) {
    return Text([&](char* out) { return WriteSixDigits(out, value); });
  };
  EXPECT_EQ(text(0.001), "0.001");
  EXPECT_EQ(text(1e-5), "1e-05");
  EXPECT_EQ(text(0.12345678), "0.12345678");
}

TEST(NumberFormat, ShortestReadsBack) {
  EXPECT_EQ(Text([](char* out) { return WriteShortest(out, 0.3f); }), "0.3");
  EXPECT_EQ(Text([](char* out) { return WriteShortest(out, 1.0 / 3); }), "0.3333333333333333");
}

TEST(NumberFormat, Nan) {
  auto text = [](bool negative, uint64_t payload) {
    return Text([&](char* out) { return WriteNan(out, negative, payload, 0x400000); });
  };
  EXPECT_EQ(text(false, 0x400000), "nan");
  EXPECT_EQ(text(true, 0x400000), "-nan");
  EXPECT_EQ(text(false, 0x1af), "nan(0x1af)");
}

}  // namespace
}  // namespace hlo
