// Tolerances met exactly and missed by one step, for floats of several widths, complex numbers and
// integers; the widest of them lets neither NaN nor infinities pass.
#include "values/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace hlo {
namespace {

template <typename T>
Literal VectorOf(std::vector<T> values) {
  std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
  Literal literal = *Literal::Zeros(Shape::ArrayWithDefaultLayout(kElementTypeOf<T>, dims));
  std::copy(values.begin(), values.end(), literal.elements<T>().begin());
  return literal;
}

template <typename T>
std::optional<uint64_t> Ulp(T a, T b) {
  return UlpDistance(kElementTypeOf<T>, reinterpret_cast<const std::byte*>(&a),
                     reinterpret_cast<const std::byte*>(&b));
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(UlpDistanceTest, CountsRepresentableValues) {
  EXPECT_EQ(Ulp(1.0f, std::nextafter(1.0f, 2.0f)), 1u);
  EXPECT_EQ(Ulp(0.0f, -0.0f), 0u);
  EXPECT_EQ(Ulp(std::nextafter(0.0f, 1.0f), std::nextafter(0.0f, -1.0f)), 2u);
  EXPECT_EQ(Ulp(kInfinity, std::numeric_limits<float>::max()), 1u);
  EXPECT_EQ(Ulp(kNan, kNan), 0u);
  EXPECT_EQ(Ulp(kNan, 1.0f), std::nullopt);
  EXPECT_EQ(Ulp(Bf16(1.0f), Bf16(1.0078125f)), 1u);
  EXPECT_EQ(Ulp<int64_t>(INT64_MIN, INT64_MAX), UINT64_MAX);
  EXPECT_EQ(Ulp(C64(1, 2), C64(1, std::nextafter(2.0f, 3.0f))), 1u);
  EXPECT_EQ(Ulp(F8E8M0Fnu(1.0f), F8E8M0Fnu(4.0f)), 2u);
  EXPECT_EQ(Ulp(F8E8M0Fnu(std::ldexp(1.0f, 127)), F8E8M0Fnu(kNan)), std::nullopt);
}

TEST(CompareTest, NamesTheWorstElement) {
  std::vector<ArrayComparison> comparisons =
      CompareLiterals(VectorOf<float>({1, 2, 3.5, kNan}), VectorOf<float>({1, 2.25, 3, kNan}));
  ASSERT_EQ(comparisons.size(), 1u);
  EXPECT_FALSE(comparisons[0].matches());
  EXPECT_EQ(comparisons[0].mismatch_count, 2);
  EXPECT_EQ(comparisons[0].worst_index, std::vector<int64_t>{2});
  EXPECT_EQ(comparisons[0].worst_actual, "3.5");
  EXPECT_EQ(ComparisonText(comparisons[0]),
            "result: 2 of 4 elements differ\n"
            "  worst at [2]: 3.5, expected 3 (2097152 ulp, error 0.5)\n"
            "  ulp  0: 2  >=65536: 2\n");
}

template <typename T>
bool Match(T actual, T expected, const ToleranceOverrides& overrides = {}) {
  return CompareLiterals(VectorOf<T>({actual}), VectorOf<T>({expected}), overrides)[0].matches();
}

TEST(CompareTest, NanAndInfinityMatchOnlyThemselves) {
  const ToleranceOverrides anything = {
      .ulp = UINT64_MAX, .absolute = INFINITY, .relative = INFINITY};
  EXPECT_TRUE(Match(kNan, -kNan));
  EXPECT_TRUE(Match(kInfinity, kInfinity));
  EXPECT_TRUE(Match(1.0f, 0.0f, anything));
  for (auto [a, e] : {std::pair{kNan, 1.0f},
                      {1.0f, kNan},
                      {kInfinity, 3.4028235e38f},
                      {3.4028235e38f, kInfinity},
                      {kInfinity, 1.0f},
                      {kInfinity, -kInfinity}}) {
    EXPECT_FALSE(Match(a, e)) << a << " " << e;
    EXPECT_FALSE(Match(a, e, anything)) << a << " " << e;
  }
  EXPECT_FALSE(Match(F16(65504.0f), F16(kInfinity)));
  EXPECT_FALSE(Match(F8E5M2(57344.0f), F8E5M2(kInfinity)));
  EXPECT_FALSE(Match(F8E8M0Fnu(std::ldexp(1.0f, 127)), F8E8M0Fnu(kNan), anything));
}

// The parts of a complex number that are no numbers match only themselves; the others are compared.
TEST(CompareTest, ComplexNumbersWithInfiniteParts) {
  EXPECT_TRUE(Match(C64(kInfinity, 1), C64(kInfinity, std::nextafter(1.0f, 2.0f))));
  EXPECT_TRUE(Match(C64(1, kNan), C64(1, kNan)));
  EXPECT_FALSE(Match(C64(kInfinity, 1), C64(kInfinity, 2)));
  EXPECT_FALSE(Match(C64(kInfinity, 1), C64(1, 1), {.absolute = INFINITY}));
  EXPECT_FALSE(Match(C64(kNan, 1), C64(1, 1), {.absolute = INFINITY}));
}

TEST(CompareTest, TolerancesAreThoseGiven) {
  EXPECT_FALSE(Match(1.01f, 1.0f));
  EXPECT_TRUE(Match(1.01f, 1.0f, {.relative = 0.02}));
  EXPECT_TRUE(Match(1.01f, 1.0f, {.absolute = 0.02}));
  EXPECT_TRUE(Match(1.01f, 1.0f, {.ulp = 1 << 20}));
  EXPECT_TRUE(Match(C64(3, 4.01f), C64(3, 4), {.relative = 0.01}));  // |e| is 5
  EXPECT_FALSE(Match(C64(3, 4.01f), C64(3, 4), {.relative = 0.001}));
  // Differences and norms beyond the type.
  EXPECT_FALSE(Match(-1.7e308, 1.7e308, {.relative = 1.5}));
  EXPECT_TRUE(Match(-1.7e308, 1.7e308, {.relative = 2.5}));
  EXPECT_TRUE(Match(C128(1.7e308, 1.7e308), C128(1.6e308, 1.7e308), {.relative = 0.1}));
}

TEST(CompareTest, WhatIsNotGivenBesideAToleranceIsZero) {
  const float next = std::nextafter(1.0f, 2.0f);
  EXPECT_TRUE(Match(next, 1.0f));
  EXPECT_FALSE(Match(next, 1.0f, {.ulp = 0}));
  EXPECT_FALSE(Match(next, 1.0f, {.absolute = 1e-9}));
  EXPECT_FALSE(Match(next, 1.0f, {.relative = 1e-9}));
  EXPECT_TRUE(Match(-0.0f, 0.0f, {.ulp = 0}));
}

TEST(CompareTest, DefaultsFollowThePrecision) {
  const float epsilon = std::ldexp(1.0f, -23);
  EXPECT_TRUE(Match(1 + 64 * epsilon, 1.0f));
  EXPECT_FALSE(Match(1 + 65 * epsilon, 1.0f));
  EXPECT_TRUE(Match(C64(1 + 64 * epsilon, 0), C64(1, 0)));
  EXPECT_FALSE(Match(C64(1 + 65 * epsilon, 0), C64(1, 0)));
  EXPECT_FALSE(Match(1e-7f, 2e-7f));  // small numbers count like large ones
  EXPECT_TRUE(Match(std::ldexp(4.0f, -149), 0.0f));
  EXPECT_FALSE(Match(std::ldexp(5.0f, -149), 0.0f));
  EXPECT_TRUE(Match(Bf16(1 + 2.0f / 128), Bf16(1.0f)));
  EXPECT_FALSE(Match(Bf16(1 + 3.0f / 128), Bf16(1.0f)));
  EXPECT_TRUE(Match(F8E4M3Fn(1.125f), F8E4M3Fn(1.0f)));
  EXPECT_FALSE(Match(F8E4M3Fn(1.25f), F8E4M3Fn(1.0f)));
  EXPECT_TRUE(Match(F4E2M1Fn(1.5f), F4E2M1Fn(1.0f)));
  EXPECT_FALSE(Match(F4E2M1Fn(2.0f), F4E2M1Fn(1.0f)));
  EXPECT_TRUE(Match(F8E8M0Fnu(2.0f), F8E8M0Fnu(1.0f)));
  EXPECT_FALSE(Match(F8E8M0Fnu(4.0f), F8E8M0Fnu(1.0f)));
}

TEST(CompareTest, IntegersAreExact) {
  EXPECT_FALSE(Match<int32_t>(1, 2));
  EXPECT_TRUE(Match<int32_t>(2, 2));
  EXPECT_FALSE(Match<int32_t>(1, 2, {.ulp = 4}));
  EXPECT_TRUE(Match<int32_t>(1, 2, {.absolute = 1}));
  EXPECT_TRUE(Match<int32_t>(90, 100, {.relative = 0.1}));
  EXPECT_FALSE(Match(true, false, {.absolute = 1}));
  // 2^53 + 1 and 2^63 - 1 are no doubles.
  const int64_t odd = (int64_t{1} << 53) + 1;
  EXPECT_FALSE(Match<int64_t>(odd, odd - 1));
  EXPECT_FALSE(Match<int64_t>(odd, odd - 1, {.absolute = 0.5}));
  EXPECT_TRUE(Match<int64_t>(odd, odd - 1, {.absolute = 1}));
  EXPECT_FALSE(Match<int64_t>(INT64_MAX, INT64_MAX - 2, {.absolute = 1}));
  EXPECT_FALSE(Match<uint64_t>(UINT64_MAX, UINT64_MAX - 1));
  EXPECT_FALSE(Match<int64_t>(INT64_MIN, INT64_MAX, {.absolute = 1e18}));
  EXPECT_TRUE(Match<int64_t>(INT64_MIN, INT64_MAX, {.absolute = 1e30}));
}

TEST(CompareTest, LargeIntegersAreReportedExactly) {
  const ArrayComparison comparison =
      CompareLiterals(VectorOf<int64_t>({INT64_MAX, INT64_MAX, INT64_MIN}),
                      VectorOf<int64_t>({INT64_MAX - 1, INT64_MAX - 2, INT64_MIN}))[0];
  EXPECT_EQ(ComparisonText(comparison),
            "result: 2 of 3 elements differ\n"
            "  worst at [1]: 9223372036854775807, expected 9223372036854775805 (2 ulp, error 2)\n"
            "  ulp  0: 1  1: 1  2-3: 1\n");
  const ArrayComparison widest =
      CompareLiterals(VectorOf<int64_t>({INT64_MIN}), VectorOf<int64_t>({INT64_MAX}))[0];
  EXPECT_EQ(widest.worst_ulp, UINT64_MAX);
  EXPECT_EQ(widest.histogram[6], 1);
}

TEST(CompareTest, StructuresMustAgree) {
  Literal pair = Literal::Tuple({VectorOf<float>({1}), VectorOf<float>({2, 3})});
  EXPECT_EQ(CompareLiterals(pair, pair).size(), 2u);
  EXPECT_EQ(CompareLiterals(pair, VectorOf<float>({1}))[0].problem,
            "the result is `(f32[1], f32[2])`, expected is `f32[1]`");
  EXPECT_EQ(CompareLiterals(VectorOf<float>({1}), VectorOf<float>({1, 2}))[0].problem,
            "the result is `f32[1]`, expected is `f32[2]`");
}

}  // namespace
}  // namespace hlo
