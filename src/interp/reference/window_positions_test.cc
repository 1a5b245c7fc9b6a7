// FindWindowRun solves a congruence where the definition tries every window index: both are
// compared over sizes, strides, padding and dilations, with common divisors and without.
#include "interp/reference/window_positions.h"

#include <gtest/gtest.h>

namespace hlo::reference {
namespace {

// Runs against the definition: every window index that falls on an element, in order.
TEST(WindowPositionsTest, MatchTheDefinition) {
  for (int64_t size : {1, 2, 3, 5}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t low : {-3, -1, 0, 2}) {
        for (int64_t base_dilation : {1, 2, 3, 6}) {
          for (int64_t window_dilation : {1, 2, 4}) {
            const WindowDimension window = {size, stride, low, 4, base_dilation, window_dilation};
            const int64_t base_size = 4;
            for (int64_t output = 0; output < WindowOutputSize(window, base_size); ++output) {
              const WindowRun run = FindWindowRun(window, output, base_size);
              int64_t found = 0;
              for (int64_t j = 0; j < size; ++j) {
                const int64_t p = output * stride + j * window_dilation - low;
                if (p < 0 || p % base_dilation != 0 || p / base_dilation >= base_size) continue;
                ASSERT_LT(found, run.count);
                EXPECT_EQ(run.window_first + found * run.window_step, j);
                EXPECT_EQ(run.base_first + found * run.base_step, p / base_dilation);
                ++found;
              }
              EXPECT_EQ(found, run.count);
            }
          }
        }
      }
    }
  }
}

TEST(WindowPositionsTest, OutputSizes) {
  EXPECT_EQ(WindowOutputSize({3, 2, 1, 1}, 5), 3);
  EXPECT_EQ(WindowOutputSize({2, 1, 1, 2, 2, 2}, 4), 8);
  EXPECT_EQ(WindowOutputSize({4, 1}, 3), 0);
  EXPECT_EQ(WindowOutputSize({2, 1, 1, 1}, 0), 1);
}

}  // namespace
}  // namespace hlo::reference
