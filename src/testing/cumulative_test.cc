// Windows of reduce-window in which each result is the one before it and an element more, and such
// as are nearly so: bit for bit what the reference backend makes, window by window.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "testing/compare_backends.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

constexpr struct {
  std::string_view dims, window, result;
} kWindows[] = {
    {"300", "size=300 pad=299_0", "300"},
    {"1", "size=4 pad=3_0", "1"},
    {"70,130", "size=1x130 pad=0_0x129_0", "70,130"},
    {"7,130", "size=1x130 pad=0_0x129_0", "7,130"},
    {"130,70", "size=130x1 pad=129_0x0_0", "130,70"},
    {"5,9,200", "size=1x1x200 pad=0_0x0_0x199_0", "5,9,200"},
    {"5,40,7", "size=1x40x1 pad=0_0x39_0x0_0", "5,40,7"},
    {"600,3", "size=1x3 pad=0_0x2_0", "600,3"},
    // Few results.
    {"14", "size=14 pad=13_0", "14"},
    {"2,7", "size=1x7 pad=0_0x6_0", "2,7"},
    {"7,2", "size=7x1 pad=6_0x0_0", "7,2"},
    // Windows larger than the array.
    {"70,130", "size=1x140 pad=0_0x139_0", "70,130"},
    {"30,70", "size=31x1 pad=30_0x0_0", "30,70"},
    // From behind, with a result more, with strides, over two dimensions, with few elements.
    {"70,30", "size=1x30 pad=0_0x0_29", "70,30"},
    {"70,30", "size=1x30 pad=0_0x29_1", "70,31"},
    {"70,30", "size=1x30 stride=1x2 pad=0_0x29_0", "70,15"},
    {"20,30", "size=20x30 pad=19_0x29_0", "20,30"},
    {"70,30", "size=1x9 pad=0_0x8_0", "70,30"},
    {"70,30", "size=1x30 pad=0_0x58_0 rhs_dilate=1x2", "70,30"},
};

// A product, which rounds; a difference, where order makes the sign; some instructions.
constexpr std::string_view kFunctions[] = {
    "ROOT c = {0}[] multiply(a, b)",
    "ROOT c = {0}[] subtract(a, b)",
    "p = {0}[] multiply(a, b)\n  q = {0}[] subtract(p, b)\n  ROOT c = {0}[] subtract(q, a)",
};

std::string Text(std::string_view type, std::string_view function, std::string_view dims,
                 std::string_view window, std::string_view result) {
  constexpr std::string_view kText = R"(HloModule cumulative
f {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  {1}
}}
ENTRY main {{
  x = {0}[{2}] parameter(0)
  init = {0}[] parameter(1)
  ROOT r = {0}[{4}] reduce-window(x, init), window={{{3}}}, to_apply=f
}}
)";
  return fmt::format(kText, type, fmt::format(fmt::runtime(function), type), dims, window, result);
}

class CumulativeOf : public ::testing::TestWithParam<std::string_view> {};

TEST_P(CumulativeOf, AreTheReferences) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (const auto& [dims, window, result] : kWindows) {
    for (const std::string_view function : kFunctions) {
      const std::string text = Text(GetParam(), function, dims, window, result);
      SCOPED_TRACE(text);
      const auto c = Compare("cumulative", text);
      ASSERT_TRUE(c.has_value());
      ExpectEqual(*c);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CumulativeOf,
                         ::testing::Values("f32", "f64", "bf16", "f16", "f8e5m2", "s32", "u8",
                                           "s64", "c64"),
                         [](const auto& test) { return std::string(test.param); });

// The largest element so far and where it is.
TEST(Cumulative, TwoArraysAreTheReferences) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (const std::string_view window : {"size=1x50 pad=0_0x49_0", "size=40x1 pad=39_0x0_0"}) {
    const auto c = Compare("largest", fmt::format(R"(HloModule largest
larger {{
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  keeps = pred[] compare(a, b), direction=GE
  v = f32[] select(keeps, a, b)
  k = s32[] select(keeps, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k)
}}
ENTRY main {{
  x = f32[40,50] parameter(0)
  i = s32[40,50] iota(), iota_dimension=1
  least = f32[] constant(-inf)
  none = s32[] constant(-1)
  ROOT r = (f32[40,50], s32[40,50]) reduce-window(x, i, least, none), window={{{0}}}, to_apply=larger
}}
)",
                                                  window));
    ASSERT_TRUE(c.has_value());
    ExpectEqual(*c);
  }
}

}  // namespace
}  // namespace hlo::testing
