// Whether memory is taken again shows in its address, whether arrays are apart in what is written
// to them.
#include "interp/kernel/scratch_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace hlo {
namespace {

TEST(ScratchPoolTest, WhatIsGivenBackIsTakenAgain) {
  ScratchPool pool;
  pool.set_limit(1000);
  const ScratchPool::Block first = pool.Take(600);
  pool.Give(first);
  const ScratchPool::Block second = pool.Take(400);
  EXPECT_EQ(second.bytes, first.bytes);
  EXPECT_EQ(second.byte_size, 600);
  pool.Give(second);
  const ScratchPool::Block third = pool.Take(100);  // less than half as large
  EXPECT_NE(third.bytes, first.bytes);
  pool.Give(third);
}

TEST(ScratchPoolTest, NothingIsKeptBeyondTheLimit) {
  ScratchPool pool;
  pool.Give(pool.Take(64));  // no limit was set: freed
  pool.set_limit(100);
  const ScratchArray<float> small(pool, 10);
  { const ScratchArray<float> large(pool, 1000); }
  const ScratchArray<double> other(pool, 2);
  EXPECT_NE(static_cast<void*>(small.get()), static_cast<void*>(other.get()));
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

TEST(ScratchPoolTest, TooManyElementsThrow) {
  ScratchPool pool;
  EXPECT_THROW(ScratchArray<double>(pool, INT64_MAX / 4), std::bad_alloc);
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
