// reduce-window of floats narrower than f32 beside the reference backend: some rows of the input
// are widened at a time, so arrays are larger than these, and windows reach from some to the next.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "interp/backends.h"
#include "testing/compare_backends.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

// {0}: type, {1}: of the reduced pairs, {2}: initial value, {3}: input and {4}: result sizes, {5}:
// the window.
constexpr std::string_view kProgram = R"(HloModule m
choose {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT c = {0}[] {1}(a, b)
}}
ENTRY e {{
  x = {0}[{3}] parameter(0)
  i = {0}[] constant({2})
  ROOT r = {0}[{4}] reduce-window(x, i), window={{{5}}}, to_apply=choose
}}
)";

// Sizes of input and result, and the window.
constexpr std::string_view kWindows[] = {
    "3,40,30,17 3,20,15,17 size=1x2x2x1 stride=1x2x2x1",
    "2,41,33,40 2,21,17,40 size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0",
    "2,30,61,20 2,30,61,20 size=1x3x3x1 pad=0_0x1_1x1_1x0_0",
    "2,5,90,70 2,5,45,35 size=1x1x2x2 stride=1x1x2x2",
    "2,3,90,71 2,3,90,71 size=1x1x5x3 pad=0_0x0_0x2_2x1_1",
    "60,700 60,350 size=1x2 stride=1x2",
    "700,60 349,60 size=3x1 stride=2x1",
    "300,90 293,90 size=4x1 rhs_dilate=2x1 pad=-1_0x0_0",
    "100,200 199,200 size=2x1 lhs_dilate=2x1 pad=1_0x0_0",
    "1,20,30,100 1,20,8,100 size=1x1x8x1 stride=1x1x3x1",
    // So long that an array is widened as a whole.
    "70000 69999 size=2",
    "65536 65535 size=2",
    // On padding alone.
    "5,0 5,3 size=1x2 pad=0_0x2_2",
    "0 3 size=2 pad=2_2",
    "0,7 3,7 size=2x1 pad=2_2x0_0",
    "3,0,4 3,3,4 size=1x2x1 pad=0_0x2_2x0_0",
    // A place between the dimensions of the window, and three of them: others have these.
    "20,7,30,20 10,7,15,20 size=2x1x2x1 stride=2x1x2x1",
    "8,20,30,20 4,10,15,20 size=2x2x2x1 stride=2x2x2x1",
};

TEST(NarrowWindowsTest, AreThoseOfTheReference) {
  for (const std::string_view line : kWindows) {
    const std::vector<std::string> words =
        absl::StrSplit(absl::string_view(line.data(), line.size()), absl::MaxSplits(' ', 2));
    for (const char* type : {"bf16", "f16", "f8e5m2"}) {
      for (const char* choice : {"maximum -inf", "minimum inf", "add 0"}) {
        const std::vector<std::string> function = absl::StrSplit(choice, ' ');
        const std::string text =
            fmt::format(kProgram, type, function[0], function[1], words[0], words[1], words[2]);
        const auto c = Compare("windows", text);
        ASSERT_TRUE(c.has_value()) << text;
        ExpectEqual(*c);
        if (HasFailure()) FAIL() << text;
      }
    }
  }
}

// Before it is known whether there is memory for them.
TEST(NarrowWindowsTest, HugeOnesArePlannedAtOnce) {
  for (const std::string_view line :
       {"400000000000,3 399999999999,3 size=2x1", "400000000000 399999999999 size=2",
        "400000000000,3,5 400000000000,3,4 size=1x1x2", "400000000000 400000000000 size=1"}) {
    const std::vector<std::string> words =
        absl::StrSplit(absl::string_view(line.data(), line.size()), absl::MaxSplits(' ', 2));
    const absl::StatusOr<Module> module = ParseText(
        "huge", fmt::format(kProgram, "bf16", "maximum", "-inf", words[0], words[1], words[2]));
    ASSERT_TRUE(module.ok()) << module.status();
    DiagnosticSink sink(module->source());
    const auto plan = PlanModule(*module, sink, {.backend = FindBackend("simd")});
    ASSERT_TRUE(plan) << line;
    EXPECT_GT(plan->scratch_byte_size, 0) << line;
  }
}

}  // namespace
}  // namespace hlo::testing
