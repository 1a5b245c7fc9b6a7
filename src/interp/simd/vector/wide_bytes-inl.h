// Bytes in memory as lanes of 4 or 8. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_WIDE_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_WIDE_BYTES_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_WIDE_BYTES_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_WIDE_BYTES_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// As many bytes as D, of uint32_t or uint64_t, has lanes.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::VFromD<D> WidenedBytes(D d, const uint8_t* from) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<uint32_t, D> of_32_bits;
  const auto words = hn::PromoteTo(of_32_bits, hn::LoadU(hn::Rebind<uint8_t, D>(), from));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return words;
  } else {
    return hn::PromoteTo(d, words);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_WIDE_BYTES_INL_H_
