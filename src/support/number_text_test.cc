// Edges: 2^63, 2^64, the largest and the smallest double, exponents that no integer holds.
#include "support/number_text.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace hlo {
namespace {

TEST(NumberText, Integers) {
  EXPECT_EQ(ParseInteger("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(ParseInteger("18446744073709551615"), -1);
  EXPECT_EQ(ParseInteger("18446744073709551616"), std::nullopt);
  EXPECT_EQ(ParseInteger("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(ParseInteger(""), std::nullopt);
  EXPECT_EQ(ParseInteger("1x"), std::nullopt);
}

TEST(NumberText, Decimals) {
  EXPECT_EQ(ParseDecimal("1."), 1.0);
  EXPECT_EQ(ParseDecimal("-.5"), -0.5);
  EXPECT_EQ(ParseDecimal("1.e5"), 1e5);
  EXPECT_EQ(ParseDecimal("3e+2"), 300.0);
  EXPECT_EQ(ParseDecimal("0.1"), 0.1);
  EXPECT_EQ(ParseDecimal("9007199254740993"), 9007199254740992.0);
}

TEST(NumberText, OverflowAndUnderflow) {
  EXPECT_EQ(ParseDecimal("1e309"), std::nullopt);
  EXPECT_EQ(ParseDecimal("-1e309"), std::nullopt);
  EXPECT_EQ(ParseDecimal("0.0001e400"), std::nullopt);
  EXPECT_EQ(ParseDecimal("1" + std::string(400, '0')), std::nullopt);
  EXPECT_EQ(ParseDecimal("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(*ParseDecimal("-1e-400")));
  EXPECT_EQ(ParseDecimal("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(ParseDecimal("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(ParseDecimal("1e99999999999999999999"), std::nullopt);
  EXPECT_EQ(ParseDecimal("1e9223372036854775807"), std::nullopt);
  EXPECT_EQ(ParseDecimal("1e-9223372036854775808"), 0.0);
  EXPECT_EQ(ParseDecimal("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

}  // namespace
}  // namespace hlo
