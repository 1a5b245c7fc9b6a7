// Lookups of all lengths around a vector's, from and to places that begin anywhere, with and
// without the caches, and in place.
#include "interp/simd/loops/table_lookup.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "support/stream_copy.h"
#include "testing/run_module.h"

namespace hlo::simd {
namespace {

constexpr uint16_t kBeside = 7;

std::vector<uint16_t> RandomWords(std::mt19937& random, int64_t count) {
  std::vector<uint16_t> words(static_cast<size_t>(count));
  for (uint16_t& word : words) word = static_cast<uint16_t>(random());
  return words;
}

TEST(TableLookup, FindsEachElement) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  std::mt19937 random(1);
  const std::vector<uint16_t> table = RandomWords(random, 1 << 16);
  for (int64_t count = 0; count < 50; ++count) {
    for (int64_t begin = 0; begin < 9; ++begin) {
      const std::vector<uint16_t> from = RandomWords(random, count + 1);
      std::vector<uint16_t> to(static_cast<size_t>(begin + count + 8), kBeside);
      std::vector<uint16_t> expected = to;
      for (int64_t i = 0; i < count; ++i) {
        expected[static_cast<size_t>(begin + i)] = table[from[static_cast<size_t>(1 + i)]];
      }
      LookUp(table.data(), from.data() + 1, to.data() + begin, count, /*streams=*/begin % 2 == 0);
      FinishStreams();
      ASSERT_EQ(to, expected) << count << " elements to " << begin;
    }
  }
}

TEST(TableLookup, WorksInPlace) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  std::mt19937 random(2);
  const std::vector<uint16_t> table = RandomWords(random, 1 << 16);
  std::vector<uint16_t> words = RandomWords(random, 1003);
  std::vector<uint16_t> expected;
  for (const uint16_t word : words) expected.push_back(table[word]);
  LookUp(table.data(), words.data(), words.data(), std::ssize(words), /*streams=*/false);
  EXPECT_EQ(words, expected);
}

}  // namespace
}  // namespace hlo::simd
