// Two loops: multiplications with additions in registers, and a pass over more memory than caches
// hold.
#include "interp/simd/machine_limits.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/machine_limits.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Runs 2 * 12 * lanes operations in each of `rounds` rounds and returns how many these were. Twelve
// sums hide that one takes several cycles; `sink` keeps the compiler from leaving them out.
double MultiplyAndAdd(int64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999F);
  const auto term = hn::Set(d, 0.001F);
  auto a = hn::Zero(d), b = hn::Set(d, 1), c = hn::Set(d, 2), e = hn::Set(d, 3);
  auto f = hn::Set(d, 4), g = hn::Set(d, 5), h = hn::Set(d, 6), i = hn::Set(d, 7);
  auto j = hn::Set(d, 8), k = hn::Set(d, 9), l = hn::Set(d, 10), m = hn::Set(d, 11);
  for (int64_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
    l = hn::MulAdd(l, factor, term);
    m = hn::MulAdd(m, factor, term);
  }
  const auto sum = hn::Add(
      hn::Add(hn::Add(a, b), hn::Add(c, e)),
      hn::Add(hn::Add(hn::Add(f, g), hn::Add(h, i)), hn::Add(hn::Add(j, k), hn::Add(l, m))));
  *sink = hn::GetLane(hn::SumOfLanes(d, sum));
  return 24.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

// Reads and writes `count` numbers, a multiple of any vector's.
void Scale(float* numbers, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.5F);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < count; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, numbers + i), factor), d, numbers + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(MultiplyAndAdd);
HWY_EXPORT(Scale);

namespace {

// The least time of a few calls, in seconds.
double BestTime(int rounds, const std::function<void()>& run) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return std::max(best, 1e-9);
}

double MeasureFlops(ThreadPool& pool) {
  constexpr int64_t kRounds = 500'000;  // about 2 ms
  std::vector<double> counts(static_cast<size_t>(pool.thread_count()));
  std::atomic<float> sink = 0;
  const double seconds = BestTime(5, [&] {
    pool.ForEach(pool.thread_count(), [&](int64_t part) {
      float sum = 0;
      counts[static_cast<size_t>(part)] = HWY_DYNAMIC_DISPATCH(MultiplyAndAdd)(kRounds, &sum);
      sink.store(sum);
    });
  });
  double flops = 0;
  for (double count : counts) flops += count;
  return flops / seconds;
}

double MeasureBytes(ThreadPool& pool) {
  constexpr int64_t kParts = 64;
  constexpr int64_t kPartCount = int64_t{1} << 18;  // 1 MiB
  std::vector<float> numbers(static_cast<size_t>(kParts * kPartCount));
  const double seconds = BestTime(4, [&] {
    pool.ForEach(kParts, [&](int64_t part) {
      HWY_DYNAMIC_DISPATCH(Scale)(numbers.data() + part * kPartCount, kPartCount);
    });
  });
  return 2.0 * sizeof(float) * static_cast<double>(numbers.size()) / seconds;
}

}  // namespace

MachineLimits MeasureMachine(ThreadPool& pool) {
  return {.flops_per_second = MeasureFlops(pool), .bytes_per_second = MeasureBytes(pool)};
}

}  // namespace hlo::simd
#endif
