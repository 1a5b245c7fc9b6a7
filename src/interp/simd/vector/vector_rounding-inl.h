// Floats rounded to integers, bit for bit as FloorFn, CeilFn and RoundNearestAfzFn do it one by
// one. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_VECTOR_ROUNDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_ROUNDING_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_ROUNDING_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_VECTOR_ROUNDING_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"

#undef HLO_VECTOR_ROUNDING

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR
#define HLO_VECTOR_ROUNDING

namespace hn = hwy::HWY_NAMESPACE;

struct VectorFloor {
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D, hn::VFromD<D> x) const {
    return hn::Floor(x);
  }
};

struct VectorCeil {
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D, hn::VFromD<D> x) const {
    return hn::Ceil(x);
  }
};

// Ties away from zero: x and the largest number below a half away from zero, less the fraction. The
// sum rounds to an integer, if it rounds, only where the fraction of x is a half or more.
struct VectorRoundAfz {
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D d, hn::VFromD<D> x) const {
    using T = hn::TFromD<D>;
    constexpr T kBelowHalf = T{0.5} - std::numeric_limits<T>::epsilon() / 4;
    return hn::Trunc(hn::Add(x, hn::CopySign(hn::Set(d, kBelowHalf), x)));
  }
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_VECTOR_ROUNDING_INL_H_
