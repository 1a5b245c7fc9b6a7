// Sums of bf16, most of which need not be taken in f64. Numbers whose exponents lie within 13 of
// each other are multiples of one number by less than 2^21, so the sum of eight of them is exact in
// f32: whether they are is looked for beside, by the largest and the least magnitude of some
// hundred. Where they are not, the caller adds them one way or the other. Compiled once for each
// instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_BF16_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_BF16_SUMS_INL_H_
#undef HLOKIT_INTERP_SIMD_BF16_SUMS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_BF16_SUMS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "interp/simd/across_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

using SumHalves = hn::ScalableTag<uint16_t>;  // bf16, an even and an odd one in each word
using SumWords = hn::ScalableTag<uint32_t>;
using SumFloats = hn::ScalableTag<float>;
using SumDoubles = hn::ScalableTag<double>;
using VHalves = hn::Vec<SumHalves>;
using VFloats = hn::Vec<SumFloats>;
using VDoubles = hn::Vec<SumDoubles>;

constexpr int64_t kHalvesWidth = static_cast<int64_t>(hn::MaxLanes(SumHalves()));

HWY_INLINE VFloats EvenFloats(VHalves v) {
  return hn::BitCast(SumFloats(), hn::ShiftLeft<16>(hn::BitCast(SumWords(), v)));
}
HWY_INLINE VFloats OddFloats(VHalves v) {
  const auto words = hn::BitCast(SumWords(), v);
  return hn::BitCast(SumFloats(), hn::And(words, hn::Set(SumWords(), 0xffff0000)));
}

struct LargerHalf {
  template <class V>
  V operator()(V a, V b) const {
    return hn::Max(a, b);
  }
};
struct SmallerHalf {
  template <class V>
  V operator()(V a, V b) const {
    return hn::Min(a, b);
  }
};

// The magnitudes of what is summed. Zeros, multiples of everything, do not count.
class Magnitudes {
 public:
  HWY_INLINE Magnitudes()
      : largest_(hn::Zero(SumHalves())), least_less_one_(hn::Set(SumHalves(), 0xffff)) {}
  HWY_INLINE void Add(VHalves v) {
    const VHalves magnitude = hn::And(v, hn::Set(SumHalves(), 0x7fff));
    largest_ = hn::Max(largest_, magnitude);
    least_less_one_ = hn::Min(least_less_one_, hn::Sub(magnitude, hn::Set(SumHalves(), 1)));
  }
  // Whether sums of eight are exact, none of them infinite.
  HWY_INLINE bool AreClose() const {
    constexpr int kMantissaBits = 7;
    const int largest = Across<LargerHalf>(SumHalves(), largest_) >> kMantissaBits;
    const uint16_t least_less_one = Across<SmallerHalf>(SumHalves(), least_less_one_);
    const int least = static_cast<uint16_t>(least_less_one + 1) >> kMantissaBits;
    return largest - least <= 13 && largest <= 250;
  }

 private:
  VHalves largest_, least_less_one_;
};

HWY_INLINE VDoubles LowerDoubles(VFloats v) {
  return hn::PromoteTo(SumDoubles(), hn::LowerHalf(v));
}
HWY_INLINE VDoubles UpperDoubles(VFloats v) {
  return hn::PromoteTo(SumDoubles(), hn::UpperHalf(hn::Half<SumFloats>(), v));
}

// A zero that leaves the sign of what is added to it.
HWY_INLINE VDoubles NoSum() { return hn::Set(SumDoubles(), -0.0); }

// first + x[0] + x[1] ... of `count` bf16; add_any(from, count, sum) adds any numbers.
template <class AddAny>
HWY_INLINE double SumBf16Terms(const uint16_t* x, int64_t count, double first, AddAny add_any) {
  constexpr int64_t kStep = 4 * kHalvesWidth;
  constexpr int64_t kChunk = 4 * kStep;
  VDoubles lower = NoSum(), upper = NoSum();
  double any = first;
  int64_t i = 0;
  while (i + kStep <= count) {
    const int64_t end = i + std::min(kChunk, (count - i) / kStep * kStep);
    const int64_t begin = i;
    VDoubles chunk_lower = NoSum(), chunk_upper = NoSum();
    Magnitudes magnitudes;
    for (; i < end; i += kStep) {
      VFloats sums[4];
      for (int64_t k = 0; k < 4; ++k) {
        const VHalves v = hn::LoadU(SumHalves(), x + i + k * kHalvesWidth);
        magnitudes.Add(v);
        sums[k] = hn::Add(EvenFloats(v), OddFloats(v));
      }
      const VFloats sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
      chunk_lower = hn::Add(chunk_lower, LowerDoubles(sum));
      chunk_upper = hn::Add(chunk_upper, UpperDoubles(sum));
    }
    if (magnitudes.AreClose()) {
      lower = hn::Add(lower, chunk_lower);
      upper = hn::Add(upper, chunk_upper);
    } else {
      any = add_any(x + begin, end - begin, any);
    }
  }
  if (i > 0) any += hn::GetLane(hn::SumOfLanes(SumDoubles(), hn::Add(lower, upper)));
  return i < count ? add_any(x + i, count - i, any) : any;
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_BF16_SUMS_INL_H_
