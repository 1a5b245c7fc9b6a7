// Dots of few rows by matrices of another type, whose elements become carriers where they are
// multiplied. Both backends convert all codes to the same numbers, and sums are near; whichever
// side the matrix is on, whichever dimension is summed, of sizes around those of vectors and groups
// of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/compare_backends.h"

namespace hlo::testing {
namespace {

struct Types {
  std::string_view matrix, other;  // the other operand, and the result
};
constexpr Types kTypes[] = {
    {"s8", "f32"},       {"u8", "f32"},     {"s16", "f32"}, {"u16", "f32"}, {"f16", "f32"},
    {"bf16", "f32"},     {"s4", "f32"},     {"s32", "f32"}, {"f64", "f32"}, {"f8e5m2", "f32"},
    {"f8e4m3fn", "f32"}, {"f8e4m3", "f32"}, {"s8", "bf16"}, {"s8", "f16"},  {"f16", "bf16"},
    {"s8", "f64"},       {"s32", "f64"},    {"f32", "f64"}, {"f16", "f64"}, {"f8e5m2", "f64"},
    {"s8", "s32"},       {"u8", "s32"},     {"s16", "u32"}, {"s64", "s32"}, {"s8", "s64"},
    {"s32", "s64"},
};

// All codes there are, in their order and over again.
void CountUp(std::vector<Literal>& arguments) {
  Literal& matrix = arguments[1];
  const auto element_size = static_cast<size_t>(ElementByteSize(matrix.shape().element_type()));
  for (uint64_t i = 0; i < static_cast<uint64_t>(matrix.element_count()); ++i) {
    std::memcpy(matrix.bytes() + i * element_size, &i, element_size);
  }
}

// Sums of one term.
TEST(ConvertedDots, AllCodesAreTheSameNumbers) {
  for (const Types& types : kTypes) {
    const bool is_byte = types.matrix.ends_with('8') || types.matrix.starts_with("f8");
    if (types.matrix == "s4" || types.matrix.ends_with("32") || types.matrix.ends_with("64")) {
      continue;  // not all bytes are codes, or there are too many
    }
    const int64_t count = is_byte ? 256 : 1 << 16;
    const std::string text = fmt::format(
        "HloModule m\nENTRY main {{\n  x = {0}[1,1] constant({{{{1}}}})\n  z = {1}[1,{2}] "
        "parameter(1)\n  y = {0}[1] parameter(0)\n  ROOT r = {0}[1,{2}] dot(x, z), "
        "lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n",
        types.other, types.matrix, count);
    const std::optional<Comparison> c = Compare("codes", text, {.change = CountUp});
    ASSERT_TRUE(c) << text;
    ExpectEqual(*c);
    ASSERT_FALSE(HasFailure()) << text;
  }
}

struct Sizes {
  int64_t rows, terms, columns;
};
constexpr Sizes kSizes[] = {{1, 40, 200},   {1, 133, 77}, {2, 70, 65},
                            {3, 129, 1100}, {7, 64, 131}, {9, 300, 35}};

TEST(ConvertedDots, SumsAreNear) {
  for (const Types& types : kTypes) {
    for (const Sizes& sizes : kSizes) {
      for (const bool is_left : {false, true}) {
        for (const bool is_turned : {false, true}) {
          const std::string other =
              fmt::format("  x = {}[{},{}] parameter(0)\n", types.other, sizes.rows, sizes.terms);
          const auto [first, second] = is_turned ? std::pair(sizes.columns, sizes.terms)
                                                 : std::pair(sizes.terms, sizes.columns);
          const std::string matrix =
              fmt::format("  y = {}[{},{}] parameter(1)\n", types.matrix, first, second);
          const auto [m, n] =
              is_left ? std::pair(sizes.columns, sizes.rows) : std::pair(sizes.rows, sizes.columns);
          const int summed = is_turned ? 1 : 0;
          ExpectSameDot(
              fmt::format("HloModule m\nENTRY main {{\n{}{}  ROOT r = {}[{},{}] dot({}), "
                          "lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}\n}}\n",
                          other, matrix, types.other, m, n, is_left ? "y, x" : "x, y",
                          is_left ? summed : 1, is_left ? 1 : summed));
          if (HasFailure()) return;
        }
      }
    }
  }
}

// What a convert without loss makes is read from where it comes from.
TEST(ConvertedDots, OfConvertedParametersToo) {
  for (const Types& types : kTypes) {
    for (const bool is_turned : {false, true}) {
      const std::string dims = is_turned ? "150,70" : "70,150";
      const std::string text = fmt::format(
          "HloModule m\nENTRY main {{\n  x = {0}[70] parameter(0)\n  y = {1}[{2}] parameter(1)\n"
          "  w = {0}[{2}] convert(y)\n  ROOT r = {0}[150] dot(w, x), "
          "lhs_contracting_dims={{{3}}}, rhs_contracting_dims={{0}}\n}}\n",
          types.other, types.matrix, dims, is_turned ? 1 : 0);
      const std::optional<Comparison> c = Compare("converted", text);
      ASSERT_TRUE(c) << text;
      ExpectNear(*c->simd.result, *c->reference.result, 0, [](const Literal& array, int64_t) {
        double largest = 0;
        for (int64_t i = 0; i < array.element_count(); ++i) {
          largest = std::max(largest, std::abs(ValueAt(array, i)));
        }
        return largest * (array.shape().element_type() == ElementType::kBf16 ? 0x1p-6 : 0x1p-9);
      });
      ASSERT_FALSE(HasFailure()) << text;
    }
  }
}

}  // namespace
}  // namespace hlo::testing
