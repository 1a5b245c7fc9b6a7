// Tiles of all sizes, between rows that begin anywhere, turned with and without the caches.
#include "interp/simd/movement/turn_tile.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "support/stream_copy.h"
#include "testing/run_module.h"

namespace hlo::simd {
namespace {

template <typename T>
class TurnTiles : public ::testing::Test {
  void SetUp() override {
    if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  }
};
using Types = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(TurnTiles, Types, );

// Everything of `to`, what lies beside the tile included.
template <typename T>
void ExpectTurned(std::mt19937& random, int64_t rows, int64_t columns, bool is_in_lines,
                  bool streams) {
  constexpr auto kLine = static_cast<int64_t>(64 / sizeof(T));
  const int64_t from_stride = rows + static_cast<int64_t>(random() % 70);
  const int64_t gap = static_cast<int64_t>(random() % 70);
  const int64_t to_stride = is_in_lines ? (columns + kLine - 1) / kLine * kLine : columns + gap;
  std::vector<T> from(static_cast<size_t>(columns * from_stride));
  for (T& element : from) element = static_cast<T>(random());
  std::vector<T> to(static_cast<size_t>(rows * to_stride + 2 * kLine), T{7});
  // The vector need not begin where a line of the cache does.
  const auto address = reinterpret_cast<uintptr_t>(to.data());
  int64_t begin = static_cast<int64_t>(-address % 64 / sizeof(T));
  if (!is_in_lines) begin += static_cast<int64_t>(random() % static_cast<uint32_t>(kLine));

  std::vector<T> expected = to;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      expected[static_cast<size_t>(begin + r * to_stride + c)] =
          from[static_cast<size_t>(c * from_stride + r)];
    }
  }
  GetTurnTile<T>(streams)(from.data(), from_stride, to.data() + begin, to_stride, rows, columns);
  FinishStreams();
  EXPECT_EQ(to, expected) << rows << " rows, " << columns << " columns";
}

TYPED_TEST(TurnTiles, OfAllSizes) {
  constexpr int64_t kMost = kTurnTile<TypeParam>;
  std::mt19937 random(1);
  const auto size = [&] {
    return random() % 3 == 0 ? kMost : 1 + static_cast<int64_t>(random() % uint32_t{kMost});
  };
  for (int round = 0; round < 400; ++round) {
    const int64_t rows = size(), columns = size();
    for (const bool is_in_lines : {false, true}) {
      for (const bool streams : {false, true}) {
        ExpectTurned<TypeParam>(random, rows, columns, is_in_lines, streams);
      }
    }
    if (this->HasFailure()) return;
  }
}

}  // namespace
}  // namespace hlo::simd
