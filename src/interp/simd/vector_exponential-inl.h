// exp of f32, where fma is an instruction, for some vectors side by side: each instruction of it
// waits four cycles for the one before, and processors look ahead over some sixty that wait, which
// two or three vectors one after the other fill. Compiled once for each instruction set (the guard
// toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_INL_H_
#endif

#include "hwy/highway.h"

#undef HLO_VECTOR_EXPONENTIAL

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#define HLO_VECTOR_EXPONENTIAL

namespace hn = hwy::HWY_NAMESPACE;

// exp(x) = 2^n exp(r), n the integer next to x / ln 2. At most 1.0 ULP off, the same with both
// instruction sets.
class VectorExponential {
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;

 public:
  // Each x becomes exp(x).
  template <int kCount>
  HWY_INLINE void operator()(V (&x)[kCount]) const {
#if HWY_TARGET == HWY_AVX2
    if (HWY_UNLIKELY(!AreModerate(x))) {
#pragma GCC unroll 8
      for (int i = 0; i < kCount; ++i) x[i] = OfAny(x[i]);
      return;
    }
#else
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i] = Clamped(x[i]);
#endif
    V n[kCount];
    Reduce(x, n);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i] = Scaled(x[i], n[i]);
  }

 private:
  static V All(float value) { return hn::Set(D(), value); }

  // Beyond these exp is 0 and infinite in f32 too. NaN stays, being the second operand.
  static V Clamped(V x) { return hn::Max(All(-110.0f), hn::Min(All(90.0f), x)); }

  // exp(r) instead of x, and n, in the last digits of a large number where AVX2 is to scale by it.
  template <int kCount>
  HWY_INLINE static void Reduce(V (&x)[kCount], V (&n)[kCount]) {
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
#if HWY_TARGET == HWY_AVX2
      n[i] = hn::MulAdd(x[i], All(kPerLn2), All(kRounding));
      const V whole = hn::Sub(n[i], All(kRounding));
#else
      n[i] = hn::Round(hn::Mul(x[i], All(kPerLn2)));
      const V whole = n[i];
#endif
      // ln 2 in two parts.
      x[i] = hn::NegMulAdd(whole, All(0x1.62e43p-1f), x[i]);
      x[i] = hn::NegMulAdd(whole, All(-0x1.05c61p-29f), x[i]);
    }
    // 1 + r (1 + r q(r)), q fitted where |r| <= ln 2 / 2.
    V q[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      q[i] = hn::MulAdd(All(0x1.6d99cap-10f), x[i], All(0x1.123e22p-7f));
      q[i] = hn::MulAdd(q[i], x[i], All(0x1.55547cp-5f));
    }
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      q[i] = hn::MulAdd(q[i], x[i], All(0x1.55548ap-3f));
      q[i] = hn::MulAdd(q[i], x[i], All(0.5f));
    }
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      q[i] = hn::MulAdd(q[i], x[i], All(1.0f));
      x[i] = hn::MulAdd(q[i], x[i], All(1.0f));
    }
  }

  static constexpr float kPerLn2 = 0x1.715476p+0f;

#if HWY_TARGET == HWY_AVX2
  using Integers = hn::RebindToSigned<D>;

  // Numbers from there on have no digits behind the point.
  static constexpr float kRounding = 0x1.8p23f;

  // Whether neither 2^n nor the results leave the range of normal numbers.
  template <int kCount>
  HWY_INLINE static bool AreModerate(const V (&x)[kCount]) {
    const auto most = hn::BitCast(Integers(), All(86.0f));
    auto is_larger = hn::Zero(Integers());
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const auto magnitude = hn::BitCast(Integers(), hn::Abs(x[i]));
      is_larger = hn::Or(is_larger, hn::VecFromMask(Integers(), hn::Gt(magnitude, most)));
    }
    return hn::AllFalse(Integers(), hn::MaskFromVec(is_larger));
  }

  // n is added to the exponent.
  HWY_INLINE static V Scaled(V power, V n) {
    return hn::BitCast(D(), hn::Add(hn::BitCast(Integers(), power),
                                    hn::ShiftLeft<23>(hn::BitCast(Integers(), n))));
  }

  // Scales twice, by powers of 2 that are normal numbers.
  static HWY_NOINLINE V OfAny(V x) {
    V power[1] = {Clamped(x)}, rounding[1];
    Reduce(power, rounding);
    const auto n =
        hn::Sub(hn::BitCast(Integers(), rounding[0]), hn::BitCast(Integers(), All(kRounding)));
    const auto half = hn::ShiftRight<1>(n);
    const V one = All(1.0f);
    const auto power_of = [&](auto m) HWY_ATTR {
      return hn::BitCast(D(), hn::Add(hn::BitCast(Integers(), one), hn::ShiftLeft<23>(m)));
    };
    return hn::Mul(hn::Mul(power[0], power_of(half)), power_of(hn::Sub(n, half)));
  }
#else
  HWY_INLINE static V Scaled(V power, V n) { return {_mm512_scalef_ps(power.raw, n.raw)}; }
#endif
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_INL_H_
