// Links that convert between types whose elements have as many bits in registers, and from truth
// values. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_CONVERSIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_CONVERSIONS_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_CONVERSIONS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_CONVERSIONS_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/chain/chain_links-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
using IntegersOf32 = hn::RebindToSigned<Lanes<float>>;

struct FloatsOfS32 {
  V<float> operator()(V<float> x) const {
    return hn::ConvertTo(Lanes<float>(), hn::BitCast(IntegersOf32(), x));
  }
};
// Truncated, the nearest number where there is none, 0 for NaN (semantics.md, conversions).
struct S32OfFloats {
  V<float> operator()(V<float> x) const {
    const V<float> number = hn::IfThenElseZero(hn::Eq(x, x), x);
    return hn::BitCast(Lanes<float>(), hn::ConvertTo(IntegersOf32(), number));
  }
};
// 1 of T or as an integer, and 0.
template <typename T>
struct NumbersOfMasks {
  V<T> operator()(V<T> x) const { return hn::And(x, hn::Set(Lanes<T>(), 1)); }
};
template <typename T>
struct IntegersOfMasks {
  V<T> operator()(V<T> x) const {
    return hn::And(x, hn::BitCast(Lanes<T>(), hn::Set(Words<T>(), 1)));
  }
};

template <typename T>
LinkFunction ConversionLink(ElementType from, ElementType to) {
  constexpr ElementType kSigned = kElementTypeOf<hn::TFromD<hn::RebindToSigned<Lanes<T>>>>;
  constexpr ElementType kUnsigned = kElementTypeOf<hn::TFromD<Words<T>>>;
  if (from == ElementType::kPred) {
    if (to == kElementTypeOf<T>) return LinkOf<Alone<T, NumbersOfMasks<T>>>();
    const bool is_fine = to == kSigned || to == kUnsigned;
    return is_fine ? LinkOf<Alone<T, IntegersOfMasks<T>>>() : nullptr;
  }
  if constexpr (sizeof(T) == 4) {
    if (from == kSigned && to == kElementTypeOf<T>) return LinkOf<Alone<T, FloatsOfS32>>();
    if (from == kElementTypeOf<T> && to == kSigned) return LinkOf<Alone<T, S32OfFloats>>();
  }
  return nullptr;
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_CONVERSIONS_INL_H_
