// All lanes of a vector combined. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_ACROSS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_ACROSS_LANES_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_ACROSS_LANES_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_ACROSS_LANES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// In halves, by VectorFn of two vectors.
#if HWY_TARGET == HWY_SCALAR
template <typename VectorFn, class D>
HWY_INLINE hwy::HWY_NAMESPACE::TFromD<D> Across(D, hwy::HWY_NAMESPACE::Vec<D> v) {
  return hwy::HWY_NAMESPACE::GetLane(v);
}
#else
template <typename VectorFn, class D>
HWY_INLINE hwy::HWY_NAMESPACE::TFromD<D> Across(D d, hwy::HWY_NAMESPACE::Vec<D> v) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (hn::MaxLanes(d) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return Across<VectorFn>(half, VectorFn()(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_ACROSS_LANES_INL_H_
