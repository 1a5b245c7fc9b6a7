// Arrays out of an arena: zeros, apart from one another, alive after it.
#include "support/zeroed_arena.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace hlo {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

bool IsFilledWith(const std::shared_ptr<std::byte[]>& array, size_t size, int value) {
  return std::all_of(array.get(), array.get() + size,
                     [&](std::byte byte) { return byte == std::byte(value); });
}

TEST(ZeroedArena, ArraysAreZerosApartAndAligned) {
  std::vector<size_t> sizes = {1, 64, 100, 3 * kMegabyte, 65, 7 * kMegabyte, 4095};
  std::vector<std::shared_ptr<std::byte[]>> arrays;
  {
    ZeroedArena arena(6 * kMegabyte);  // fewer than there will be
    for (const size_t size : sizes) {
      arrays.push_back(arena.Take(size));
      // Once what was expected is taken, small ones may be refused.
      if (arrays.back() == nullptr) continue;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(arrays.back().get()) % 64, 0u);
      EXPECT_TRUE(IsFilledWith(arrays.back(), size, 0));
      std::fill_n(arrays.back().get(), size, std::byte(arrays.size()));
    }
  }
  for (size_t i = 0; i < 6; ++i) {
    ASSERT_NE(arrays[i], nullptr) << i;
    EXPECT_TRUE(IsFilledWith(arrays[i], sizes[i], static_cast<int>(i) + 1)) << i;
  }
}

TEST(ZeroedArena, FewBytesAndEnormousArraysAreNotTaken) {
  EXPECT_EQ(ZeroedArena(1000).Take(1000), nullptr);
  EXPECT_EQ(ZeroedArena(SIZE_MAX).Take(SIZE_MAX), nullptr);
  EXPECT_NE(ZeroedArena(SIZE_MAX).Take(1000), nullptr);
}

}  // namespace
}  // namespace hlo
