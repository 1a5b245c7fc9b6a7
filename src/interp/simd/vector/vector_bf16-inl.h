// Vectors of f32 rounded to bf16, and narrowed to it. Compiled once for each instruction set (the
// guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_VECTOR_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_BF16_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_BF16_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_VECTOR_BF16_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/vector/vector_extremes-inl.h"

#undef HLO_VECTOR_BF16

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// Elsewhere vectors cannot be members.
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#define HLO_VECTOR_BF16

namespace hn = hwy::HWY_NAMESPACE;

using Floats32 = hn::ScalableTag<float>;
using Words32 = hn::RebindToUnsigned<Floats32>;
using Integers32 = hn::RebindToSigned<Floats32>;
using Halves = hn::Rebind<uint16_t, Floats32>;
// In registers; the bits of one are in another.
using Wide = hn::Vec<Floats32>;

HWY_INLINE hn::Vec<Words32> BitsOf(Wide x) { return hn::BitCast(Words32(), x); }
HWY_INLINE Wide FloatsOf(hn::Vec<Words32> bits) { return hn::BitCast(Floats32(), bits); }

// To the nearest, ties to even, in the upper halves: half a unit less one, or half a unit if the
// last bit that stays is set. The lower halves have still to be cut off. A NaN whose lower bits are
// zeros stays as it is.
HWY_INLINE hn::Vec<Words32> RoundedUpperHalves(Wide x) {
  const hn::Vec<Words32> bits = BitsOf(x);
#if HWY_TARGET == HWY_AVX3
  const __mmask16 is_odd = _mm512_test_epi32_mask(bits.raw, _mm512_set1_epi32(0x10000));
  const __m512i below = _mm512_add_epi32(bits.raw, _mm512_set1_epi32(0x7fff));
  return {_mm512_mask_add_epi32(below, is_odd, bits.raw, _mm512_set1_epi32(0x8000))};
#else
  const hn::Vec<Words32> last = hn::And(hn::ShiftRight<16>(bits), hn::Set(Words32(), 1));
  return hn::Add(hn::Add(bits, hn::Set(Words32(), 0x7fff)), last);
#endif
}

struct RoundArithmetic {
  Wide operator()(Wide x) const {
    return FloatsOf(hn::And(RoundedUpperHalves(x), hn::Set(Words32(), 0xffff0000)));
  }
};

// A NaN becomes the one that rounding leaves as it is.
HWY_INLINE Wide WithPlainNan(Wide x) {
  const hn::Vec<Words32> sign = hn::And(BitsOf(x), hn::Set(Words32(), 0x80000000));
  const Wide nan = FloatsOf(hn::Or(sign, hn::Set(Words32(), 0x7fc00000)));
  return hn::IfThenElse(hn::IsNaN(x), nan, x);
}
HWY_INLINE void MakeNansPlain(Wide (&x)[4]) {
  if (HWY_LIKELY(!HasNan(x))) return;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) x[i] = WithPlainNan(x[i]);
}

struct RoundAny {
  HWY_INLINE void operator()(Wide (&x)[4]) const {
    MakeNansPlain(x);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = RoundArithmetic()(x[i]);
  }
};

HWY_INLINE hn::Vec<Halves> UpperHalves(Wide x) {
#if HWY_TARGET == HWY_AVX3
  return hn::Vec<Halves>{_mm512_cvtepi32_epi16(hn::ShiftRight<16>(BitsOf(x)).raw)};
#else
  // The demotion saturates: numbers with sign, which all fit.
  const auto wide = hn::ShiftRight<16>(hn::BitCast(Integers32(), x));
  return hn::BitCast(Halves(), hn::DemoteTo(hn::Rebind<int16_t, Floats32>(), wide));
#endif
}
#if HWY_TARGET == HWY_AVX2
// Two vectors make one, in less instructions than two halves.
HWY_INLINE __m256i UpperHalvesOfTwo(Wide a, Wide b) {
  const __m256i halves =
      _mm256_packus_epi32(hn::ShiftRight<16>(BitsOf(a)).raw, hn::ShiftRight<16>(BitsOf(b)).raw);
  return _mm256_permute4x64_epi64(halves, _MM_SHUFFLE(3, 1, 2, 0));
}
#endif

// Rounds and narrows the elements of four vectors to `to`.
HWY_INLINE void NarrowFour(const float* from, uint16_t* to) {
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(Floats32()));
  Wide x[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) x[i] = hn::LoadU(Floats32(), from + i * kWidth);
  MakeNansPlain(x);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) x[i] = FloatsOf(RoundedUpperHalves(x[i]));
#if HWY_TARGET == HWY_AVX2
#pragma GCC unroll 2
  for (int i = 0; i < 4; i += 2) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * kWidth),
                        UpperHalvesOfTwo(x[i], x[i + 1]));
  }
#else
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) hn::StoreU(UpperHalves(x[i]), Halves(), to + i * kWidth);
#endif
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_VECTOR_BF16_INL_H_
