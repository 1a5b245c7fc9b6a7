// The sums of some positions stay in registers, a vector of lanes of each, while the terms pass by:
// what they are multiplied by is the same for all of them, and loaded once.
#include "interp/simd/convolution/window_sums.h"

#include <algorithm>
#include <utility>

#include "support/checked_math.h"

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/convolution/window_sums.cc"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMostPositions = 8;  // at a time

// Some positions, whose elements are `stride` apart, from one vector of lanes on.
template <typename T>
struct SomePositions {
  const T* input;
  const T* kernel;
  int64_t stride;
  T* out;
  int64_t out_stride;
};

// body(p) for the positions p: no loop, so that arrays of as many vectors are registers.
template <int... kPositions, typename Body>
HWY_INLINE void ForEach(std::integer_sequence<int, kPositions...>, const Body& body) {
  (body(kPositions), ...);
}

template <int kCount, bool kHasKernelLanes, typename T>
void SumVectors(const WindowSums<T>& s, const SomePositions<T>& some) {
  constexpr std::make_integer_sequence<int, kCount> kAll;
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> sums[kCount];
  ForEach(kAll, [&](int p) { sums[p] = hn::Zero(d); });
  const int64_t stride = some.stride, term_count = s.term_count;
  const int64_t input_step = s.input_step, kernel_step = s.kernel_step;
  for (const TermRun& run : s.runs) {
    const T* input = some.input + run.input_offset;
    const T* kernel = some.kernel + run.kernel_offset;
    for (int64_t t = 0; t < term_count; ++t) {
      const auto factor = kHasKernelLanes ? hn::LoadU(d, kernel) : hn::Set(d, *kernel);
      ForEach(kAll, [&](int p) {
        sums[p] = hn::Add(sums[p], hn::Mul(hn::LoadU(d, input + p * stride), factor));
      });
      input += input_step;
      kernel += kernel_step;
    }
  }
  T* const out = some.out;
  const int64_t out_stride = some.out_stride;
  ForEach(kAll, [&](int p) { hn::StoreU(sums[p], d, out + p * out_stride); });
}

template <int kCount, bool kHasKernelLanes, typename T>
void SumRest(const WindowSums<T>& s, const SomePositions<T>& some, int64_t count) {
  if constexpr (kCount > 0) {
    if (count == kCount) return SumVectors<kCount, kHasKernelLanes>(s, some);
    SumRest<kCount - 1, kHasKernelLanes>(s, some, count);
  }
}

template <typename T>
void SumSome(const WindowSums<T>& s, const SomePositions<T>& some, int64_t count) {
  s.has_kernel_lanes ? SumRest<kMostPositions, true>(s, some, count)
                     : SumRest<kMostPositions, false>(s, some, count);
}

// Fewer lanes than a vector has.
template <typename T>
void SumFewLanes(const WindowSums<T>& s, SomePositions<T> some, int64_t count) {
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  HWY_ALIGN T sums[kMostPositions * kWidth];
  T* out = some.out;
  some.out = sums;
  some.out_stride = kWidth;
  SumSome(s, some, count);
  for (int64_t p = 0; p < count; ++p) {
    std::copy_n(sums + p * kWidth, s.lane_count, out + p * s.out_stride);
  }
}

// One position: vectors of its lanes go side by side.
template <typename T>
void SumLanes(const WindowSums<T>& s) {
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  const int64_t vector_count = s.lane_count / kWidth;
  for (int64_t v = 0; v < vector_count; v += kMostPositions) {
    const int64_t lane = v * kWidth;
    SumSome(s, {s.input + lane, s.kernel, kWidth, s.out + lane, kWidth},
            std::min<int64_t>(kMostPositions, vector_count - v));
  }
  if (vector_count * kWidth == s.lane_count) return;
  const int64_t lane = s.lane_count - kWidth;  // some once more
  SumSome(s, {s.input + lane, s.kernel, 0, s.out + lane, 0}, 1);
}

template <typename T>
void Sum(const WindowSums<T>& s) {
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  if (s.position_count == 1 && !s.has_kernel_lanes && s.lane_count >= kWidth) return SumLanes(s);
  const int64_t groups = CeilDiv(s.position_count, kMostPositions);
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t p = g * s.position_count / groups;
    const int64_t count = (g + 1) * s.position_count / groups - p;
    SomePositions<T> some = {s.input + p * s.position_stride, s.kernel, s.position_stride,
                             s.out + p * s.out_stride, s.out_stride};
    if (s.lane_count < kWidth) {
      SumFewLanes(s, some, count);
      continue;
    }
    for (int64_t done = 0; done < s.lane_count; done += kWidth) {
      const int64_t lane = std::min(done, s.lane_count - kWidth);  // at the end some once more
      SomePositions<T> vectors = some;
      vectors.input += lane;
      if (s.has_kernel_lanes) vectors.kernel += lane;
      vectors.out += lane;
      SumSome(s, vectors, count);
    }
  }
}

template <typename T>
void Interleave(const T* from, int64_t stride, int64_t features, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  int64_t l = 0;
  for (; (features == 2 || features == 3) && l + kWidth <= count; l += kWidth) {
    const auto first = hn::LoadU(d, from + l), second = hn::LoadU(d, from + stride + l);
    if (features == 2) {
      hn::StoreInterleaved2(first, second, d, to + 2 * l);
    } else {
      const auto third = hn::LoadU(d, from + 2 * stride + l);
      hn::StoreInterleaved3(first, second, third, d, to + 3 * l);
    }
  }
  for (; l < count; ++l) {
    for (int64_t k = 0; k < features; ++k) to[l * features + k] = from[k * stride + l];
  }
}

template <typename T>
WindowSumKernels<T> Kernels() {
  return {static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())), Sum<T>, Interleave<T>};
}
WindowSumKernels<float> OfF32() { return Kernels<float>(); }
WindowSumKernels<double> OfF64() { return Kernels<double>(); }
WindowSumKernels<uint32_t> OfU32() { return Kernels<uint32_t>(); }
WindowSumKernels<uint64_t> OfU64() { return Kernels<uint64_t>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(OfF32);
HWY_EXPORT(OfF64);
HWY_EXPORT(OfU32);
HWY_EXPORT(OfU64);

template <>
const WindowSumKernels<float>& GetWindowSumKernels() {
  static const WindowSumKernels<float> kernels = HWY_DYNAMIC_DISPATCH(OfF32)();
  return kernels;
}
template <>
const WindowSumKernels<double>& GetWindowSumKernels() {
  static const WindowSumKernels<double> kernels = HWY_DYNAMIC_DISPATCH(OfF64)();
  return kernels;
}
template <>
const WindowSumKernels<uint32_t>& GetWindowSumKernels() {
  static const WindowSumKernels<uint32_t> kernels = HWY_DYNAMIC_DISPATCH(OfU32)();
  return kernels;
}
template <>
const WindowSumKernels<uint64_t>& GetWindowSumKernels() {
  static const WindowSumKernels<uint64_t> kernels = HWY_DYNAMIC_DISPATCH(OfU64)();
  return kernels;
}

}  // namespace hlo::simd
#endif
