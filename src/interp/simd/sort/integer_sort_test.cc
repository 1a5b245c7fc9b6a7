// Integers of all widths and numbers come out as std::sort has them.
#include "interp/simd/sort/integer_sort.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "interp/simd/sort/byte_sort.h"

namespace hlo::simd {
namespace {

template <typename Integer>
void ExpectSorted(int64_t count, uint64_t value_count, std::mt19937_64& random) {
  std::vector<Integer> integers(static_cast<size_t>(count));
  for (Integer& integer : integers) integer = static_cast<Integer>(random() % value_count);
  std::vector<Integer> expected = integers;
  std::ranges::sort(expected);
  std::vector<Integer> by_bytes = integers;
  IntegerSorter().Sort<Integer>(integers);
  EXPECT_EQ(integers, expected) << count << " integers of " << value_count << " values";
  if constexpr (sizeof(Integer) == sizeof(uint16_t)) {
    SortByBytes(by_bytes);
    EXPECT_EQ(by_bytes, expected) << count << " integers of " << value_count << " values, by bytes";
  }
}

template <typename Integer>
void ExpectAllSorted() {
  std::mt19937_64 random(1);
  for (uint64_t value_count : {uint64_t{1}, uint64_t{2}, uint64_t{50}, uint64_t{UINT64_MAX}}) {
    for (int64_t count = 0; count < 600; count += 7) {
      ExpectSorted<Integer>(count, value_count, random);
    }
    for (int64_t count : {8'192, 8'193, 100'003}) ExpectSorted<Integer>(count, value_count, random);
  }
}

TEST(IntegerSort, Of16Bits) { ExpectAllSorted<uint16_t>(); }
TEST(IntegerSort, Of32Bits) { ExpectAllSorted<uint32_t>(); }
TEST(IntegerSort, Of64Bits) { ExpectAllSorted<uint64_t>(); }

}  // namespace
}  // namespace hlo::simd
