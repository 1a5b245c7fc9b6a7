// Plain loops over each piece, which the compiler makes vectors of.
#include "interp/simd/reduce/worse_pieces.h"

#include "interp/simd/reduce/extreme_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/reduce/worse_pieces.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// Not worse: true of NaN, too.
template <bool kAscending, typename W>
uint32_t Reaches(W x, W best) {
  return (kAscending ? best < x : best > x) ? 0 : 1;
}

template <bool kAscending, typename T>
int64_t SkipBy(WideForm<T> best, const T* values, int64_t begin, int64_t end) {
  for (; begin + kExtremePiece <= end; begin += kExtremePiece) {
    uint32_t hits = 0;
    for (int64_t i = 0; i < kExtremePiece; ++i) {
      hits |= Reaches<kAscending>(Wide(values[begin + i]), best);
    }
    if (hits != 0) return begin;
  }
  for (int64_t i = begin; i < end; ++i) {
    if (Reaches<kAscending>(Wide(values[i]), best) != 0) return begin;
  }
  return end;
}

// Sixteen are compared side by side, so that no comparison waits for the one before.
template <bool kAscending, typename T>
int64_t OnlyBestBy(const T* values, int64_t count) {
  constexpr int64_t kLanes = 16;
  if (count < kLanes) return -1;
  WideForm<T> lanes[kLanes];
  uint32_t nans[kLanes] = {};
  for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = Wide(values[lane]);
  const auto take = [&](int64_t lane, int64_t i) {
    const WideForm<T> x = Wide(values[i]), best = lanes[lane];
    lanes[lane] = (kAscending ? x < best : x > best) ? x : best;
    nans[lane] |= x != x ? 1 : 0;
  };
  int64_t i = 0;  // the first ones again: they may be NaN
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) take(lane, i + lane);
  }
  for (int64_t lane = 0; i < count; ++lane, ++i) take(lane, i);
  WideForm<T> best = lanes[0];
  uint32_t has_nan = nans[0];
  for (int64_t lane = 1; lane < kLanes; ++lane) {
    best = (kAscending ? lanes[lane] < best : lanes[lane] > best) ? lanes[lane] : best;
    has_nan |= nans[lane];
  }
  int32_t numbers = 0, equal_count = 0;
  for (int32_t k = 0; k < static_cast<int32_t>(count); ++k) {
    const bool is_best = Wide(values[k]) == best;
    numbers += is_best ? k : 0;
    equal_count += is_best ? 1 : 0;
  }
  return has_nan == 0 && equal_count == 1 ? numbers : -1;
}

template <typename T>
int64_t FindOnlyBest(bool takes_smallest, const T* values, int64_t count) {
  return takes_smallest ? OnlyBestBy<true>(values, count) : OnlyBestBy<false>(values, count);
}

template <typename T>
int64_t Skip(bool takes_smallest, WideForm<T> best, const T* values, int64_t begin, int64_t end) {
  return takes_smallest ? SkipBy<true>(best, values, begin, end)
                        : SkipBy<false>(best, values, begin, end);
}

#define HLO_PIECES(name, T)                                                                 \
  int64_t Skip##name(bool takes_smallest, WideForm<T> best, const T* values, int64_t begin, \
                     int64_t end) {                                                         \
    return Skip(takes_smallest, best, values, begin, end);                                  \
  }                                                                                         \
  int64_t OnlyBest##name(bool takes_smallest, const T* values, int64_t count) {             \
    return FindOnlyBest(takes_smallest, values, count);                                     \
  }
HLO_EXTREME_TYPES(HLO_PIECES)
#undef HLO_PIECES

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

#define HLO_PIECES(name, T)                                                                      \
  HWY_EXPORT(Skip##name);                                                                        \
  HWY_EXPORT(OnlyBest##name);                                                                    \
  template <>                                                                                    \
  int64_t SkipWorsePieces(bool takes_smallest, WideForm<T> best, const T* values, int64_t begin, \
                          int64_t end) {                                                         \
    return HWY_DYNAMIC_DISPATCH(Skip##name)(takes_smallest, best, values, begin, end);           \
  }                                                                                              \
  template <>                                                                                    \
  int64_t OnlyBest(bool takes_smallest, const T* values, int64_t count) {                        \
    return HWY_DYNAMIC_DISPATCH(OnlyBest##name)(takes_smallest, values, count);                  \
  }
HLO_EXTREME_TYPES(HLO_PIECES)
#undef HLO_PIECES

}  // namespace hlo::simd
#endif
