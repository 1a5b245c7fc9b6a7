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

// Whether one of four vectors has a NaN. A comparison finds it in two.
template <class V>
HWY_INLINE bool HasNan(const V (&x)[4]) {
  namespace hn = hwy::HWY_NAMESPACE;
  return !hn::AllFalse(hn::DFromV<V>(), hn::Or(hn::Or(hn::IsNaN(x[0]), hn::IsNaN(x[1])),
                                               hn::Or(hn::IsNaN(x[2]), hn::IsNaN(x[3]))));
}
#if HWY_TARGET == HWY_AVX3
HWY_INLINE bool HasNan(const hwy::HWY_NAMESPACE::Vec512<float> (&x)[4]) {
  return (_mm512_cmp_ps_mask(x[0].raw, x[1].raw, _CMP_UNORD_Q) |
          _mm512_cmp_ps_mask(x[2].raw, x[3].raw, _CMP_UNORD_Q)) != 0;
}
#elif HWY_TARGET == HWY_AVX2
HWY_INLINE bool HasNan(const hwy::HWY_NAMESPACE::Vec256<float> (&x)[4]) {
  return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x[0].raw, x[1].raw, _CMP_UNORD_Q),
                                         _mm256_cmp_ps(x[2].raw, x[3].raw, _CMP_UNORD_Q))) != 0;
}
HWY_INLINE bool HasNan(const hwy::HWY_NAMESPACE::Vec256<double> (&x)[4]) {
  return _mm256_movemask_pd(_mm256_or_pd(_mm256_cmp_pd(x[0].raw, x[1].raw, _CMP_UNORD_Q),
                                         _mm256_cmp_pd(x[2].raw, x[3].raw, _CMP_UNORD_Q))) != 0;
}
#endif

#if defined(__x86_64__) && HWY_TARGET != HWY_SCALAR
// The instructions give their second operand where both are zeros or one is NaN.
struct VectorMaximum {
  template <class V>
  V operator()(V a, V b) const {
    return OrNaN(OfNumbers(a, b), b);
  }
  // Where b is not NaN.
  template <class V>
  static V OfNumbers(V a, V b) {
    return hwy::HWY_NAMESPACE::Max(b, a);
  }
};
struct VectorMinimum {
  template <class V>
  V operator()(V a, V b) const {
    return OrNaN(OfNumbers(a, b), b);
  }
  // Where b is not NaN.
  template <class V>
  static V OfNumbers(V a, V b) {
    return hwy::HWY_NAMESPACE::Min(b, a);
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
