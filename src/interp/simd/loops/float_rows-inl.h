// Rows of floats combined and summed, in several vectors side by side, so that one sum need not
// wait for the other. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_LOOPS_FLOAT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_LOOPS_FLOAT_ROWS_INL_H_
#undef HLOKIT_INTERP_SIMD_LOOPS_FLOAT_ROWS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_LOOPS_FLOAT_ROWS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>

#include "hwy/highway.h"
#include "interp/simd/loops/row_kernels.h"
#include "interp/simd/loops/short_rows-inl.h"
#include "interp/simd/loops/tile_loops-inl.h"
#include "interp/simd/vector/across_lanes-inl.h"
#include "interp/simd/vector/vector_extremes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// --- Combined

struct VectorAdd {
  template <class V>
  V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
// bf16 is the upper half of an f32.
struct Bf16Bits {
  uint16_t bits;
};

// A vector of D from elements of its type or of a narrower one.
template <class D, typename S>
HWY_INLINE hn::Vec<D> LoadAs(D d, const S* from) {
  const hn::Rebind<float, D> floats;
  const hn::Rebind<uint32_t, D> words;
  if constexpr (std::is_same_v<S, Bf16Bits>) {
    const auto narrow = hn::LoadU(hn::Rebind<uint16_t, D>(), As<uint16_t>(from));
    const auto wide = hn::BitCast(floats, hn::ShiftLeft<16>(hn::PromoteTo(words, narrow)));
    if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
      return wide;
    } else {
      return hn::PromoteTo(d, wide);
    }
  } else if constexpr (std::is_same_v<hn::TFromD<D>, S>) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(floats, from));
  }
}

template <typename T>
HWY_INLINE T Element(const T* from) {
  return *from;
}
HWY_INLINE float Element(const Bf16Bits* from) {
  return std::bit_cast<float>(uint32_t{from->bits} << 16);
}

// A vector whose upper lanes are the `count` elements before `end`, and which changes nothing but
// by these where it is combined with what has the elements before them.
template <typename VectorFn, class D, typename S>
HWY_INLINE hn::Vec<D> LastOf(D d, const S* end, int64_t count) {
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  const hn::Vec<D> last = LoadAs(d, end - width);
  if constexpr (!std::is_same_v<VectorFn, VectorAdd>) return last;  // twice is as good as once
  const auto before = hn::FirstN(d, static_cast<size_t>(width - count));
  return hn::IfThenElse(before, hn::Set(d, static_cast<hn::TFromD<D>>(-0.0)), last);
}

// Combines `count` of S, read as Wides, with `first`: Fn one by one, VectorFn in vectors.
template <typename Fn, typename VectorFn, typename S, typename Wide>
HWY_INLINE Wide Combined(const S* x, int64_t count, Wide first) {
  const hn::ScalableTag<Wide> d;
  using V = hn::Vec<decltype(d)>;
  const VectorFn combine;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  if (count < width) {
    Wide result = first;
    for (int64_t i = 0; i < count; ++i) result = Fn()(result, static_cast<Wide>(Element(x + i)));
    return result;
  }
  V all = LoadAs(d, x);
  int64_t i = width;
  if (count >= 8 * width) {
    V v0 = all, v1 = LoadAs(d, x + width);
    V v2 = LoadAs(d, x + 2 * width), v3 = LoadAs(d, x + 3 * width);
    V v4 = LoadAs(d, x + 4 * width), v5 = LoadAs(d, x + 5 * width);
    V v6 = LoadAs(d, x + 6 * width), v7 = LoadAs(d, x + 7 * width);
    for (i = 8 * width; i + 8 * width <= count; i += 8 * width) {
      v0 = combine(v0, LoadAs(d, x + i));
      v1 = combine(v1, LoadAs(d, x + i + width));
      v2 = combine(v2, LoadAs(d, x + i + 2 * width));
      v3 = combine(v3, LoadAs(d, x + i + 3 * width));
      v4 = combine(v4, LoadAs(d, x + i + 4 * width));
      v5 = combine(v5, LoadAs(d, x + i + 5 * width));
      v6 = combine(v6, LoadAs(d, x + i + 6 * width));
      v7 = combine(v7, LoadAs(d, x + i + 7 * width));
    }
    all = combine(combine(combine(v0, v1), combine(v2, v3)),
                  combine(combine(v4, v5), combine(v6, v7)));
  }
  for (; i + width <= count; i += width) all = combine(all, LoadAs(d, x + i));
  if (i < count) all = combine(all, LastOf<VectorFn>(d, x + count, count - i));
  return Fn()(first, Across<VectorFn>(d, all));
}

// --- Sums of floats
//
// Eight terms are added in f32, their sums in f64: a term is rounded seven times at most, so that a
// sum is off by 3.5 * 2^-23 of the magnitudes at most (all of it in f32, by half a 2^-23 for each
// term). Of f64 all is in f64.

using Doubles = hn::ScalableTag<double>;
constexpr auto kDoublesWidth = static_cast<int64_t>(hn::MaxLanes(Doubles()));
constexpr int64_t kTermsInF32 = kSummedRows;

// What terms of S are added in. Memory gives 32 bytes at a time fastest, which of f32 are half a
// vector of AVX-512.
constexpr bool kLoadsWhole = HWY_TARGET == HWY_AVX2;
template <typename S>
using TermsOf = std::conditional_t<std::is_same_v<S, Bf16Bits> || kLoadsWhole,
                                   hn::ScalableTag<float>, hn::Rebind<float, Doubles>>;
template <typename S>
constexpr auto kTermsWidth = static_cast<int64_t>(hn::MaxLanes(TermsOf<S>()));
template <typename S>
constexpr auto kHalves = kTermsWidth<S> / kDoublesWidth;

// The loads of one sum after the other: a processor fetches ahead of reads that go upwards, and
// sums do not wait for each other.
template <typename S>
HWY_INLINE hn::Vec<TermsOf<S>> SumInF32(const S* x, int64_t stride) {
  const TermsOf<S> d;
  auto sum = LoadAs(d, x);
  for (int64_t k = 1; k < kTermsInF32; ++k) sum = hn::Add(sum, LoadAs(d, x + k * stride));
  return sum;
}

// Adds the terms to sums[0], sums[1] ...
template <typename S>
HWY_INLINE void AddTo(hn::Vec<Doubles>* sums, hn::Vec<TermsOf<S>> terms) {
  if constexpr (kHalves<S> == 1) {
    sums[0] = hn::Add(sums[0], hn::PromoteTo(Doubles(), terms));
  }
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kHalves<S> == 2) {
    const hn::Half<TermsOf<S>> half;
    sums[0] = hn::Add(sums[0], hn::PromoteTo(Doubles(), hn::LowerHalf(half, terms)));
    sums[1] = hn::Add(sums[1], hn::PromoteTo(Doubles(), hn::UpperHalf(half, terms)));
  }
#endif
}

// first + x[0] + x[1] ...
template <typename S>
HWY_INLINE double Sum(const S* x, int64_t count, double first) {
  int64_t i = 0;
  if constexpr (!std::is_same_v<S, double>) {
    constexpr int64_t kStep = kTermsInF32 * kTermsWidth<S>;
    hn::Vec<Doubles> sums[kHalves<S>];
    // A zero that leaves the sign of what is added to it.
    for (auto& sum : sums) sum = hn::Set(Doubles(), -0.0);
    for (; i + kStep <= count; i += kStep) AddTo<S>(sums, SumInF32(x + i, kTermsWidth<S>));
    if constexpr (kHalves<S> == 2) sums[0] = hn::Add(sums[0], sums[1]);
    const double sum = hn::GetLane(hn::SumOfLanes(Doubles(), sums[0]));
    // Not so where there is a NaN, something infinite, or a sum too large for f32 alone.
    if (std::isfinite(sum)) {
      first += sum;
    } else {
      i = 0;
    }
  }
  return Combined<AddFn, VectorAdd>(x + i, count - i, first);
}

template <typename S, typename T>
void SumFloatRows(const void* values, const void* init, void* result, int64_t row_count,
                  int64_t length) {
  const S* x = As<S>(values);
  const double first = *As<T>(init);
  T* to = As<T>(result);
  int64_t row = 0;
  if constexpr (std::is_same_v<S, T>) {
    row = ReduceShortRows<ColumnsSummed>(x, first, to, row_count, length);
  }
  for (; row < row_count; ++row) to[row] = static_cast<T>(Sum(x + row * length, length, first));
}

template <typename Fn, typename VectorFn, typename S, typename T>
void ReduceFloatRows(const void* values, const void* init, void* result, int64_t row_count,
                     int64_t length) {
  const S* x = As<S>(values);
  const T first = *As<T>(init);
  T* to = As<T>(result);
  int64_t row = 0;
  if constexpr (std::is_same_v<S, T>) {
    row = ReduceShortRows<ColumnsCombined<VectorFn>>(x, first, to, row_count, length);
  }
  for (; row < row_count; ++row) to[row] = Combined<Fn, VectorFn>(x + row * length, length, first);
}

// Neighbours side by side, some of them in registers while the rows go by.
template <typename Fn, typename VectorFn, typename T>
void CombineFloatRows(const void* values, int64_t stride, int64_t row_count, int64_t count,
                      const void* init, void* result) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const VectorFn combine;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  const T* x = As<T>(values);
  const T first = *As<T>(init);
  T* to = As<T>(result);
  int64_t i = 0;
  for (; i + 4 * width <= count; i += 4 * width) {
    V v0 = hn::Set(d, first), v1 = v0, v2 = v0, v3 = v0;
    for (int64_t row = 0; row < row_count; ++row) {
      const T* from = x + row * stride + i;
      v0 = combine(v0, hn::LoadU(d, from));
      v1 = combine(v1, hn::LoadU(d, from + width));
      v2 = combine(v2, hn::LoadU(d, from + 2 * width));
      v3 = combine(v3, hn::LoadU(d, from + 3 * width));
    }
    hn::StoreU(v0, d, to + i);
    hn::StoreU(v1, d, to + i + width);
    hn::StoreU(v2, d, to + i + 2 * width);
    hn::StoreU(v3, d, to + i + 3 * width);
  }
  const auto combine_vector = [&](int64_t begin) HWY_ATTR {
    V v = hn::Set(d, first);
    for (int64_t row = 0; row < row_count; ++row) {
      v = combine(v, hn::LoadU(d, x + row * stride + begin));
    }
    hn::StoreU(v, d, to + begin);
  };
  for (; i + width <= count; i += width) combine_vector(i);
  if (i < count && count >= width) {  // the last vector once more, in part
    combine_vector(count - width);
    return;
  }
  for (; i < count; ++i) {
    T combined = first;
    for (int64_t row = 0; row < row_count; ++row) combined = Fn()(combined, x[row * stride + i]);
    to[i] = combined;
  }
}

// The results of a vector from number `i` on. Reads an element behind the last term of the last
// one.
template <typename VectorFn, typename T>
HWY_INLINE void CombineVectorOfPairs(const T* x, int64_t step, int64_t term_count, int64_t i,
                                     T first, T* to) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const VectorFn combine;
  V v = hn::Set(d, first), even, odd;
  int64_t term = 0;
  if (step == 1) {
    for (; term + 2 <= term_count; term += 2) {
      hn::LoadInterleaved2(d, x + 2 * i + term, even, odd);
      v = combine(combine(v, even), odd);
    }
  }
  for (; term < term_count; ++term) {
    hn::LoadInterleaved2(d, x + 2 * i + term * step, even, odd);
    v = combine(v, even);
  }
  hn::StoreU(v, d, to + i);
}

template <typename Fn, typename VectorFn, typename T>
void CombineFloatPairs(const void* values, int64_t step, int64_t term_count, int64_t count,
                       const void* init, void* result) {
  const int64_t width = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const T* x = As<T>(values);
  const T first = *As<T>(init);
  T* to = As<T>(result);
  int64_t i = 0;
  for (; i + width < count; i += width) {
    CombineVectorOfPairs<VectorFn>(x, step, term_count, i, first, to);
  }
  if (i > 0) {
    CombineVectorOfPairs<VectorFn>(x, step, term_count, count - 1 - width, first, to);
    i = count - 1;
  }
  for (; i < count; ++i) {
    T combined = first;
    for (int64_t term = 0; term < term_count; ++term) {
      combined = Fn()(combined, x[2 * i + term * step]);
    }
    to[i] = combined;
  }
}

template <typename T>
CombineRows FloatRows(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return CombineFloatRows<AddFn, VectorAdd, T>;
    case Opcode::kMaximum:
      return CombineFloatRows<MaximumFn, VectorMaximum, T>;
    case Opcode::kMinimum:
      return CombineFloatRows<MinimumFn, VectorMinimum, T>;
    default:
      return nullptr;
  }
}

template <typename T>
CombinePairs FloatPairs(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return CombineFloatPairs<AddFn, VectorAdd, T>;
    case Opcode::kMaximum:
      return CombineFloatPairs<MaximumFn, VectorMaximum, T>;
    case Opcode::kMinimum:
      return CombineFloatPairs<MinimumFn, VectorMinimum, T>;
    default:
      return nullptr;
  }
}

// T is the type of results.
template <typename S, typename T>
RowLoop FloatReduce(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return SumFloatRows<S, T>;
    case Opcode::kMaximum:
      return ReduceFloatRows<MaximumFn, VectorMaximum, S, T>;
    case Opcode::kMinimum:
      return ReduceFloatRows<MinimumFn, VectorMinimum, S, T>;
    default:
      return nullptr;
  }
}

template <typename S>
void SumTermsOf(const void* values, int64_t count, double* sum) {
  *sum = Sum(As<S>(values), count, *sum);
}

// Some columns at a time: their sums are in registers while the rows go by.
template <typename S>
void SumRowsInF64(const S* x, int64_t stride, int64_t row_count, int64_t count, double* sums) {
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 4 * width <= count; i += 4 * width) {
    V v0 = hn::LoadU(d, sums + i), v1 = hn::LoadU(d, sums + i + width);
    V v2 = hn::LoadU(d, sums + i + 2 * width), v3 = hn::LoadU(d, sums + i + 3 * width);
    for (int64_t row = 0; row < row_count; ++row) {
      const S* from = x + row * stride + i;
      v0 = hn::Add(v0, LoadAs(d, from));
      v1 = hn::Add(v1, LoadAs(d, from + width));
      v2 = hn::Add(v2, LoadAs(d, from + 2 * width));
      v3 = hn::Add(v3, LoadAs(d, from + 3 * width));
    }
    hn::StoreU(v0, d, sums + i);
    hn::StoreU(v1, d, sums + i + width);
    hn::StoreU(v2, d, sums + i + 2 * width);
    hn::StoreU(v3, d, sums + i + 3 * width);
  }
  for (int64_t row = 0; row < row_count; ++row) {
    for (int64_t k = i; k < count; ++k) sums[k] += Element(x + row * stride + k);
  }
}

template <typename S>
void SumRowsOf(const void* values, int64_t stride, int64_t row_count, int64_t count, double* sums) {
  const S* x = As<S>(values);
  int64_t i = 0;
  if constexpr (!std::is_same_v<S, double>) {
    constexpr int64_t kStep = kTermsWidth<S>;
    for (; row_count == kTermsInF32 && i + kStep <= count; i += kStep) {
      const auto terms = SumInF32(x + i, stride);
      if (!hn::AllTrue(TermsOf<S>(), hn::IsFinite(terms))) {
        SumRowsInF64(x + i, stride, row_count, kStep, sums + i);
        continue;
      }
      hn::Vec<Doubles> own[kHalves<S>];
      for (int64_t h = 0; h < kHalves<S>; ++h) {
        own[h] = hn::LoadU(Doubles(), sums + i + h * kDoublesWidth);
      }
      AddTo<S>(own, terms);
      for (int64_t h = 0; h < kHalves<S>; ++h) {
        hn::StoreU(own[h], Doubles(), sums + i + h * kDoublesWidth);
      }
    }
  }
  SumRowsInF64(x + i, stride, row_count, count - i, sums + i);
}

template <typename S>
void SumPairRowsOf(const void* values, int64_t stride, int64_t row_count, int64_t length,
                   double* sums) {
  const S* x = As<S>(values);
  for (int64_t row = 0; row < row_count; ++row, x += 2 * stride) {
    double first = sums[2 * row], second = sums[2 * row + 1];
    for (int64_t i = 0; i < length; ++i) {
      first += static_cast<double>(x[2 * i]);
      second += static_cast<double>(x[2 * i + 1]);
    }
    sums[2 * row] = first;
    sums[2 * row + 1] = second;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_LOOPS_FLOAT_ROWS_INL_H_
