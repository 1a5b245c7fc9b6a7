// Every part is done once: with fewer and more parts than threads, in short rounds, from within
// parts, from several threads at a time; and a pool whose part threw is as good as before.
#include "support/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace hlo {
namespace {

TEST(ThreadPool, DoesEveryPartOnce) {
  for (int64_t thread_count : {1, 2, 5}) {
    ThreadPool pool(thread_count);
    for (int64_t part_count : {0, 1, 2, 7, 1000}) {
      std::vector<int> calls(static_cast<size_t>(part_count));
      pool.ForEach(part_count, [&](int64_t part) { ++calls[static_cast<size_t>(part)]; });
      EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), int64_t{0}), part_count);
      for (int count : calls) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, ManyShortRounds) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum = 0;
  for (int round = 0; round < 2000; ++round) pool.ForEach(3, [&](int64_t part) { sum += part; });
  EXPECT_EQ(sum, 6000);
}

TEST(ThreadPool, PartsMayCallIt) {
  ThreadPool pool(2);
  std::atomic<int64_t> count = 0;
  pool.ForEach(4, [&](int64_t) { pool.ForEach(4, [&](int64_t) { ++count; }); });
  EXPECT_EQ(count, 16);
}

TEST(ThreadPool, ThreadsMayCallItAtOnce) {
  ThreadPool pool(2);
  std::atomic<int64_t> count = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) pool.ForEach(5, [&](int64_t) { ++count; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(count, 4 * 200 * 5);
}

TEST(ThreadPool, ThrowsWhatAPartThrows) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.ForEach(100,
                            [](int64_t part) {
                              if (part == 50) throw std::length_error("part");
                            }),
               std::length_error);
  int64_t count = 0;
  pool.ForEach(1, [&](int64_t) { ++count; });
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace hlo
