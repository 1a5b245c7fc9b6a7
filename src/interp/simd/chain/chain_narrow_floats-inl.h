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
#include "interp/simd/vector/vector_bf16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
struct LoadBF16 : Memory<float, uint16_t> {
  using Memory::Memory;
  Wide operator()(Wide, int64_t i) const {
    const auto narrow = hn::LoadU(Halves(), Vector(i));
    return FloatsOf(hn::ShiftLeft<16>(hn::PromoteTo(Words32(), narrow)));
  }
};

#if HWY_TARGET == HWY_AVX2
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
