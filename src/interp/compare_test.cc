#include "interp/compare.h"

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
uint64_t Ulp(T a, T b) {
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
  EXPECT_EQ(Ulp(kNan, 1.0f), UINT64_MAX);
  EXPECT_EQ(Ulp(Bf16(1.0f), Bf16(1.0078125f)), 1u);
  EXPECT_EQ(Ulp<int64_t>(INT64_MIN, INT64_MAX), UINT64_MAX);
  EXPECT_EQ(Ulp(C64(1, 2), C64(1, std::nextafter(2.0f, 3.0f))), 1u);
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

TEST(CompareTest, NanAndInfinityMatchOnlyThemselves) {
  EXPECT_TRUE(
      CompareLiterals(VectorOf<float>({kNan, kInfinity}), VectorOf<float>({kNan, kInfinity}))[0]
          .matches());
  for (auto [a, e] : {std::pair{kNan, 1.0f},
                      {1.0f, kNan},
                      {kInfinity, 1e38f},
                      {1e38f, kInfinity},
                      {kInfinity, -kInfinity}}) {
    ToleranceOverrides wide = {.relative = 1e3};
    EXPECT_FALSE(CompareLiterals(VectorOf<float>({a}), VectorOf<float>({e}), wide)[0].matches())
        << a << " " << e;
  }
}

TEST(CompareTest, TolerancesAreThoseGiven) {
  Literal actual = VectorOf<float>({1.01f});
  Literal expected = VectorOf<float>({1});
  EXPECT_FALSE(CompareLiterals(actual, expected)[0].matches());
  EXPECT_TRUE(CompareLiterals(actual, expected, {.relative = 0.02})[0].matches());
  EXPECT_TRUE(CompareLiterals(actual, expected, {.absolute = 0.02})[0].matches());
  EXPECT_TRUE(CompareLiterals(actual, expected, {.ulp = 1 << 20})[0].matches());
}

TEST(CompareTest, IntegersAreExact) {
  EXPECT_FALSE(CompareLiterals(VectorOf<int32_t>({1}), VectorOf<int32_t>({2}))[0].matches());
  EXPECT_TRUE(CompareLiterals(VectorOf<int32_t>({2}), VectorOf<int32_t>({2}))[0].matches());
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
