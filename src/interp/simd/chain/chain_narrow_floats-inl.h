// Links that round to bf16 and f16, and read and write these. Compiled once for each instruction
// set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_NARROW_FLOATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_NARROW_FLOATS_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_NARROW_FLOATS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_NARROW_FLOATS_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/chain/chain_links-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
// In registers; the bits of one are in another.
using Wide = V<float>;
using Words32 = Words<float>;
using Integers32 = hn::RebindToSigned<Lanes<float>>;
using Halves = hn::Rebind<uint16_t, Lanes<float>>;

HWY_INLINE hn::Vec<Words32> BitsOf(Wide x) { return hn::BitCast(Words32(), x); }
HWY_INLINE Wide FloatsOf(hn::Vec<Words32> bits) { return hn::BitCast(Lanes<float>(), bits); }

// To the nearest, ties to even: half a unit less one, or half a unit if the last bit that stays is
// set, and the rest cut off. A NaN whose lower bits are zeros stays as it is.
struct RoundArithmetic {
  Wide operator()(Wide x) const {
    const hn::Vec<Words32> bits = BitsOf(x);
#if HWY_TARGET == HWY_AVX3
    const __mmask16 is_odd = _mm512_test_epi32_mask(bits.raw, _mm512_set1_epi32(0x10000));
    const __m512i below = _mm512_add_epi32(bits.raw, _mm512_set1_epi32(0x7fff));
    const hn::Vec<Words32> sum = {
        _mm512_mask_add_epi32(below, is_odd, bits.raw, _mm512_set1_epi32(0x8000))};
#else
    const hn::Vec<Words32> last = hn::And(hn::ShiftRight<16>(bits), hn::Set(Words32(), 1));
    const hn::Vec<Words32> sum = hn::Add(hn::Add(bits, hn::Set(Words32(), 0x7fff)), last);
#endif
    return FloatsOf(hn::And(sum, hn::Set(Words32(), 0xffff0000)));
  }
};
// A comparison finds a NaN in two vectors.
HWY_INLINE bool HasNan(const Wide (&x)[4]) {
#if HWY_TARGET == HWY_AVX3
  return (_mm512_cmp_ps_mask(x[0].raw, x[1].raw, _CMP_UNORD_Q) |
          _mm512_cmp_ps_mask(x[2].raw, x[3].raw, _CMP_UNORD_Q)) != 0;
#elif HWY_TARGET == HWY_AVX2
  return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x[0].raw, x[1].raw, _CMP_UNORD_Q),
                                         _mm256_cmp_ps(x[2].raw, x[3].raw, _CMP_UNORD_Q))) != 0;
#else
  return !hn::AllFalse(Lanes<float>(), hn::Or(hn::Or(hn::IsNaN(x[0]), hn::IsNaN(x[1])),
                                              hn::Or(hn::IsNaN(x[2]), hn::IsNaN(x[3]))));
#endif
}
struct RoundAny {
  HWY_INLINE void operator()(Wide (&x)[4]) const {
    if (HWY_UNLIKELY(HasNan(x))) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = OfAny(x[i]);
      return;
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = RoundArithmetic()(x[i]);
  }

 private:
  static Wide OfAny(Wide x) {
    const hn::Vec<Words32> sign = hn::And(BitsOf(x), hn::Set(Words32(), 0x80000000));
    const Wide nan = FloatsOf(hn::Or(sign, hn::Set(Words32(), 0x7fc00000)));
    return hn::IfThenElse(hn::IsNaN(x), nan, RoundArithmetic()(x));
  }
};

struct LoadBF16 : Memory<float, uint16_t> {
  using Memory::Memory;
  Wide operator()(Wide, int64_t i) const {
    const auto narrow = hn::LoadU(Halves(), Vector(i));
    return FloatsOf(hn::ShiftLeft<16>(hn::PromoteTo(Words32(), narrow)));
  }
};

HWY_INLINE hn::Vec<Halves> UpperHalves(Wide x) {
#if HWY_TARGET == HWY_AVX3
  return hn::Vec<Halves>{_mm512_cvtepi32_epi16(hn::ShiftRight<16>(BitsOf(x)).raw)};
#else
  // The demotion saturates: numbers with sign, which all fit.
  const auto wide = hn::ShiftRight<16>(hn::BitCast(Integers32(), x));
  return hn::BitCast(Halves(), hn::DemoteTo(hn::Rebind<int16_t, Lanes<float>>(), wide));
#endif
}
#if HWY_TARGET == HWY_AVX2
// Two vectors make one, in less instructions than two halves.
HWY_INLINE __m256i UpperHalvesOfTwo(Wide a, Wide b) {
  const __m256i halves =
      _mm256_packus_epi32(hn::ShiftRight<16>(BitsOf(a)).raw, hn::ShiftRight<16>(BitsOf(b)).raw);
  return _mm256_permute4x64_epi64(halves, _MM_SHUFFLE(3, 1, 2, 0));
}
template <void kPut(__m256i*, __m256i)>
struct PutBF16 : Memory<float, uint16_t> {
  using Memory::Memory;
  HWY_INLINE void operator()(Wide (&x)[4], int64_t first) const {
#pragma GCC unroll 2
    for (int i = 0; i < 4; i += 2) {
      kPut(reinterpret_cast<__m256i*>(Vector(first + i)), UpperHalvesOfTwo(x[i], x[i + 1]));
    }
  }
};
HWY_INLINE void PutAnywhere(__m256i* to, __m256i halves) { _mm256_storeu_si256(to, halves); }
HWY_INLINE void PutPastCaches(__m256i* to, __m256i halves) { _mm256_stream_si256(to, halves); }
using StoreBF16 = PutBF16<PutAnywhere>;
using StreamBF16 = PutBF16<PutPastCaches>;
#else
struct StoreBF16 : Memory<float, uint16_t> {
  using Memory::Memory;
  Wide operator()(Wide x, int64_t i) const {
    hn::StoreU(UpperHalves(x), Halves(), Vector(i));
    return x;
  }
};
struct StreamBF16 : Memory<float, uint16_t> {
  using Memory::Memory;
  Wide operator()(Wide x, int64_t i) const {
    hn::Stream(UpperHalves(x), Halves(), Vector(i));
    return x;
  }
};
#endif

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#if HWY_TARGET == HWY_AVX3
HWY_INLINE __m256i NarrowedToF16(Wide x) {
  return _mm512_cvtps_ph(x.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
HWY_INLINE Wide WidenedF16(__m256i x) { return Wide{_mm512_cvtph_ps(x)}; }
#else
HWY_INLINE __m128i NarrowedToF16(Wide x) {
  return _mm256_cvtps_ph(x.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
HWY_INLINE Wide WidenedF16(__m128i x) { return Wide{_mm256_cvtph_ps(x)}; }
#endif

struct RoundF16 {
  Wide operator()(Wide x) const { return WidenedF16(NarrowedToF16(x)); }
};
struct LoadF16 : Memory<float, uint16_t> {
  using Memory::Memory;
  Wide operator()(Wide, int64_t i) const { return WidenedF16(hn::LoadU(Halves(), Vector(i)).raw); }
};
struct StoreF16 : Memory<float, uint16_t> {
  using Memory::Memory;
  Wide operator()(Wide x, int64_t i) const {
    hn::StoreU(hn::Vec<Halves>{NarrowedToF16(x)}, Halves(), Vector(i));
    return x;
  }
};
LinkFunction LoadOfF16() { return LinkOf<LoadF16>(); }
LinkFunction StoreOfF16() { return LinkOf<StoreF16>(); }
LinkFunction RoundOfF16() { return LinkOf<Alone<float, RoundF16>>(); }
#else
LinkFunction LoadOfF16() { return nullptr; }
LinkFunction StoreOfF16() { return nullptr; }
LinkFunction RoundOfF16() { return nullptr; }
#endif
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_NARROW_FLOATS_INL_H_
