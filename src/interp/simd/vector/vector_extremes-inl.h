// The larger and the smaller of two floats, NaN where one of them is NaN, as MaximumFn and
// MinimumFn have it. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXTREMES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXTREMES_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXTREMES_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXTREMES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// `chosen`, but b where that is NaN. IsNaN and not Ne, whose comparison is an ordered one in
// Highway for AVX: false for NaN.
template <class V>
HWY_INLINE V OrNaN(V chosen, V b) {
  return hwy::HWY_NAMESPACE::IfThenElse(hwy::HWY_NAMESPACE::IsNaN(b), b, chosen);
}
#if HWY_TARGET == HWY_AVX3
// One instruction, which looks up for the class of b what to do.
HWY_INLINE hwy::HWY_NAMESPACE::Vec512<float> OrNaN(hwy::HWY_NAMESPACE::Vec512<float> chosen,
                                                   hwy::HWY_NAMESPACE::Vec512<float> b) {
  constexpr int kQuietIsTaken = 0x1, kSignallingIsTakenAsQuiet = 0x20;
  const __m512i table = _mm512_set1_epi32(kQuietIsTaken | kSignallingIsTakenAsQuiet);
  return {_mm512_fixupimm_ps(chosen.raw, b.raw, table, 0)};
}
#endif

#if defined(__x86_64__) && HWY_TARGET != HWY_SCALAR
// The instructions give their second operand where both are zeros or one is NaN.
struct VectorMaximum {
  template <class V>
  V operator()(V a, V b) const {
    return OrNaN(hwy::HWY_NAMESPACE::Max(b, a), b);
  }
};
struct VectorMinimum {
  template <class V>
  V operator()(V a, V b) const {
    return OrNaN(hwy::HWY_NAMESPACE::Min(b, a), b);
  }
};
#else
struct VectorMaximum {
  template <class V>
  V operator()(V a, V b) const {
    const auto is_first =
        hwy::HWY_NAMESPACE::Or(hwy::HWY_NAMESPACE::Ge(a, b), hwy::HWY_NAMESPACE::IsNaN(a));
    return hwy::HWY_NAMESPACE::IfThenElse(is_first, a, b);
  }
};
struct VectorMinimum {
  template <class V>
  V operator()(V a, V b) const {
    const auto is_first =
        hwy::HWY_NAMESPACE::Or(hwy::HWY_NAMESPACE::Le(a, b), hwy::HWY_NAMESPACE::IsNaN(a));
    return hwy::HWY_NAMESPACE::IfThenElse(is_first, a, b);
  }
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXTREMES_INL_H_
