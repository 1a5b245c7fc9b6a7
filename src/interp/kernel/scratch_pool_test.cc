// Whether memory is taken again shows in its address, whether arrays are apart in what is written
// to them.
#include "interp/kernel/scratch_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "interp/kernel/scratch_vector.h"

namespace hlo {
namespace {

TEST(ScratchPoolTest, WhatIsGivenBackIsTakenAgain) {
  ScratchPool pool;
  pool.set_limit(10000);
  const ScratchPool::Block first = pool.Take(6000);
  pool.Give(first);
  const ScratchPool::Block second = pool.Take(4100);
  EXPECT_EQ(second.bytes, first.bytes);
  EXPECT_EQ(second.byte_size, 6000);
  pool.Give(second);
  const ScratchPool::Block third = pool.Take(1000);  // less than half as large
  EXPECT_NE(third.bytes, first.bytes);
  pool.Give(third);
}

TEST(ScratchPoolTest, SmallBlocksOfAnySizesServeEachOther) {
  ScratchPool pool;
  for (const auto& [some, more] : {std::pair(0, 64), {65, 128}, {1100, 2048}}) {
    const ScratchPool::Block first = pool.Take(some);
    pool.Give(first);
    const ScratchPool::Block second = pool.Take(more);
    EXPECT_EQ(first.bytes, second.bytes);
    pool.Give(second);
  }
}

TEST(ScratchPoolTest, NothingIsKeptBeyondTheLimit) {
  ScratchPool pool;
  constexpr int64_t kHalf = ScratchPool::kUncounted / 2;
  pool.set_limit(2 * kHalf);  // and two more halves that nobody counts
  const ScratchPool::Block in_use = pool.Take(kHalf);
  const ScratchPool::Block others[] = {pool.Take(kHalf), pool.Take(kHalf), pool.Take(kHalf),
                                       pool.Take(kHalf)};
  for (const ScratchPool::Block& block : others) pool.Give(block);  // the first one is freed
  std::set<std::byte*> again;
  for (int i = 0; i < 3; ++i) again.insert(pool.Take(kHalf).bytes);
  EXPECT_EQ(again, (std::set{others[1].bytes, others[2].bytes, others[3].bytes}));
  for (std::byte* bytes : again) pool.Give({bytes, kHalf});
  pool.Give(in_use);
}

TEST(ScratchPoolTest, ArraysAreAlignedAndApart) {
  ScratchPool pool;
  pool.set_limit(1 << 20);
  for (int round = 0; round < 3; ++round) {
    std::vector<ScratchArray<char>> arrays;
    for (int64_t size : {1, 63, 64, 65, 1000, 0}) {
      arrays.emplace_back(pool, size);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(arrays.back().get()) % 64, 0u);
      std::memset(arrays.back().get(), static_cast<int>(size), static_cast<size_t>(size));
    }
    EXPECT_EQ(arrays[1][62], 63);
    EXPECT_EQ(arrays[2][63], 64);
  }
}

TEST(ScratchPoolTest, MostInUseIsWhatWasTakenAtATime) {
  ScratchPool pool;
  const ScratchPool::Block first = pool.Take(6000);
  pool.Give(first);
  EXPECT_EQ(pool.most_in_use(), 6000);
  const ScratchPool::Block second = pool.Take(5000);  // the same block
  const ScratchPool::Block third = pool.Take(64);
  pool.Give(third);
  pool.Give(second);
  EXPECT_EQ(pool.most_in_use(), 6064);
}

TEST(ScratchPoolTest, VectorsGrowAndAreCopiedInThePool) {
  ScratchPool pool;
  pool.set_limit(1 << 20);
  {
    ScratchVector<int> numbers(pool);
    for (int i = 0; i < 1000; ++i) numbers.push_back(i);
    ScratchVector<int> others = numbers;
    others[999] = 0;
    numbers = std::move(others);
    EXPECT_EQ(numbers[998] + numbers[999], 998);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(numbers.data()) % 64, 0u);
  }
  const std::byte* first = ScratchArray<std::byte>(pool, 4096).get();
  const ScratchVector<int> again(1000, 1, pool);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(again.data()), first + 64);
}

TEST(ScratchPoolTest, TooManyElementsThrow) {
  ScratchPool pool;
  EXPECT_THROW(ScratchArray<double>(pool, INT64_MAX / 4), std::bad_alloc);
  EXPECT_THROW(ScratchAllocator<double>(pool).allocate(SIZE_MAX / 16), std::bad_alloc);
}

TEST(ScratchPoolTest, ThreadsShareIt) {
  ScratchPool pool;
  pool.set_limit(1 << 16);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 1000; ++i) {
        const ScratchArray<int> array(pool, 1 + (i * 37 + t) % 500);
        array[0] = t;
        EXPECT_EQ(array[0], t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace hlo
