// exp of f32, where fma is an instruction, for some vectors side by side: each instruction of it
// waits four cycles for the one before, and processors look ahead over some sixty that wait, which
// two or three vectors one after the other fill. Compiled once for each instruction set (the guard
// toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXPONENTIAL_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXPONENTIAL_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXPONENTIAL_INL_H_
#endif

#include "hwy/highway.h"

#undef HLO_VECTOR_EXPONENTIAL

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#define HLO_VECTOR_EXPONENTIAL

// exp(x) = 2^n exp(r), n the integer next to x / ln 2, exp(r) = 1 + r + r^2 q.
class ExponentialParts {
  using D = hwy::HWY_NAMESPACE::ScalableTag<float>;

 public:
  using V = hwy::HWY_NAMESPACE::Vec<D>;
  static V All(float value) { return hwy::HWY_NAMESPACE::Set(D(), value); }

  // r instead of x. With AVX2, for which there is no instruction that scales by 2^n, n is in the
  // last digits of a large number: kRounding + n.
  template <int kCount>
  HWY_INLINE static void Reduce(V (&x)[kCount], V (&n)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
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
  }

  // Fitted where |r| <= ln 2 / 2.
  template <int kCount>
  HWY_INLINE static void MakeQ(const V (&r)[kCount], V (&q)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      q[i] = hn::MulAdd(All(0x1.6d99cap-10f), r[i], All(0x1.123e22p-7f));
      q[i] = hn::MulAdd(q[i], r[i], All(0x1.55547cp-5f));
    }
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      q[i] = hn::MulAdd(q[i], r[i], All(0x1.55548ap-3f));
      q[i] = hn::MulAdd(q[i], r[i], All(0.5f));
    }
  }

#if HWY_TARGET == HWY_AVX2
  using Integers = hwy::HWY_NAMESPACE::RebindToSigned<D>;
  // Numbers from there on have no digits behind the point.
  static constexpr float kRounding = 0x1.8p23f;

  // x * 2^n, of which neither leaves the range of normal numbers; `n` is an integer in the last
  // digits of whatever the others are.
  template <class N>
  HWY_INLINE static V Scaled(V x, N n) {
    namespace hn = hwy::HWY_NAMESPACE;
    return hn::BitCast(
        D(), hn::Add(hn::BitCast(Integers(), x), hn::ShiftLeft<23>(hn::BitCast(Integers(), n))));
  }

  // exp(x) - 1 instead of x, where |x| <= 20.
  template <int kCount>
  HWY_INLINE static void MinusOne(V (&x)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
    V n[kCount], q[kCount];
    Reduce(x, n);
    MakeQ(x, q);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const V power = Scaled(All(1.0f), n[i]);
      x[i] = hn::MulAdd(hn::Mul(x[i], x[i]), q[i], x[i]);
      x[i] = hn::MulAdd(power, x[i], hn::Sub(power, All(1.0f)));
    }
  }
#endif

 private:
  static constexpr float kPerLn2 = 0x1.715476p+0f;
};

// At most 1.0 ULP off, the same with both instruction sets but for some of 2^32 numbers.
class VectorExponential {
  using V = ExponentialParts::V;

 public:
  // Each x becomes exp(x).
  template <int kCount>
  HWY_INLINE void operator()(V (&x)[kCount]) const {
#if HWY_TARGET == HWY_AVX2
    if (HWY_UNLIKELY(!AreModerate(x))) return OfOther(x);
    V n[kCount];
    MakePower(x, n);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i] = ExponentialParts::Scaled(x[i], n[i]);
#else
    if (HWY_UNLIKELY(!AreModerate(x))) return OfLow(x);
    V n[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      x[i] = hwy::HWY_NAMESPACE::Min(All(kLeastOfInfinity), x[i]);  // NaN stays, being the second
    }
    MakePower(x, n);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i].raw = _mm512_scalef_ps(x[i].raw, n[i].raw);
#endif
  }

 private:
  static V All(float value) { return ExponentialParts::All(value); }
  using D = hwy::HWY_NAMESPACE::ScalableTag<float>;

  // exp is 0 below this, and infinite from the other on, in f32 too.
  static constexpr float kMostOfZero = -104.0f, kLeastOfInfinity = 90.0f;

  // Results below the normal numbers are looked for: vectors that come to such by a multiplication,
  // or to zero, take a hundred cycles on some processors, and half of what masks hide from softmax
  // are zeros. They are made as integers: in units of the least number, a result has its own bits.
  static constexpr float kLeastOfNormal = -0x1.5d3334p+6f;  // -87.3
  static constexpr float kPerLeast = 149.0f;                // 2^149

  template <int kCount>
  HWY_INLINE static void OfOther(V (&x)[kCount]) {
    V any[kCount];  // x stays in registers
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) any[i] = x[i];
    OfAny(any);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i] = any[i];
  }

  static hwy::HWY_NAMESPACE::Mask<D> IsLow(V x) {
    return hwy::HWY_NAMESPACE::Lt(x, All(kLeastOfNormal));
  }

  // exp(r) instead of x, and n.
  template <int kCount>
  HWY_INLINE static void MakePower(V (&x)[kCount], V (&n)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
    V q[kCount];
    ExponentialParts::Reduce(x, n);
    ExponentialParts::MakeQ(x, q);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      q[i] = hn::MulAdd(q[i], x[i], All(1.0f));
      x[i] = hn::MulAdd(q[i], x[i], All(1.0f));
    }
  }

#if HWY_TARGET == HWY_AVX2
  using Integers = ExponentialParts::Integers;

  // Whether neither 2^n nor the results leave the range of normal numbers.
  template <int kCount>
  HWY_INLINE static bool AreModerate(const V (&x)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
    const auto most = hn::BitCast(Integers(), All(86.0f));
    auto is_larger = hn::Zero(Integers());
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const auto magnitude = hn::BitCast(Integers(), hn::Abs(x[i]));
      is_larger = hn::Or(is_larger, hn::VecFromMask(Integers(), hn::Gt(magnitude, most)));
    }
    return hn::AllFalse(Integers(), hn::MaskFromVec(is_larger));
  }

  // NaN stays, being the second operand.
  static V Clamped(V x) {
    namespace hn = hwy::HWY_NAMESPACE;
    return hn::Max(All(kMostOfZero), hn::Min(All(kLeastOfInfinity), x));
  }

  // Scales twice, by powers of 2 that are normal numbers.
  template <int kCount>
  static HWY_NOINLINE void OfAny(V (&x)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
    V n[kCount], clamped[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i] = clamped[i] = Clamped(x[i]);
    MakePower(x, n);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const auto is_low =
          hn::MaskFromVec(hn::BitCast(Integers(), hn::VecFromMask(D(), IsLow(clamped[i]))));
      const auto whole = hn::Sub(hn::BitCast(Integers(), n[i]),
                                 hn::BitCast(Integers(), All(ExponentialParts::kRounding)));
      const auto units = hn::Set(Integers(), static_cast<int32_t>(kPerLeast));
      const V many =
          ExponentialParts::Scaled(x[i], hn::IfThenElseZero(is_low, hn::Add(whole, units)));
      const auto half = hn::IfThenZeroElse(is_low, hn::ShiftRight<1>(whole));
      const auto rest = hn::IfThenZeroElse(is_low, hn::Sub(whole, half));
      const V one = All(1.0f);
      const V scaled = hn::Mul(hn::Mul(x[i], ExponentialParts::Scaled(one, half)),
                               ExponentialParts::Scaled(one, rest));
      x[i] = hn::IfThenElse(IsLow(clamped[i]), hn::BitCast(D(), hn::NearestInt(many)), scaled);
    }
  }
#else
  // Whether no result is below the normal numbers. NaN, being the first operand, does not count.
  template <int kCount>
  HWY_INLINE static bool AreModerate(const V (&x)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
    V least = All(0.0f);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) least = hn::Min(x[i], least);
    return hn::AllFalse(D(), IsLow(least));
  }

  // Some results are zeros, or below the normal numbers.
  template <int kCount>
  HWY_INLINE static void OfLow(V (&x)[kCount]) {
    __mmask16 is_any[kCount];  // not zero
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      is_any[i] = _mm512_cmp_ps_mask(x[i].raw, All(kMostOfZero).raw, _CMP_NLT_UQ);
      x[i].raw = _mm512_maskz_min_ps(is_any[i], All(kLeastOfInfinity).raw, x[i].raw);
    }
    if (HWY_UNLIKELY(!AreModerate(x))) {
      OfOther(x);
#pragma GCC unroll 8
      for (int i = 0; i < kCount; ++i) x[i].raw = _mm512_maskz_mov_ps(is_any[i], x[i].raw);
      return;
    }
    V n[kCount];
    MakePower(x, n);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      x[i].raw = _mm512_maskz_scalef_ps(is_any[i], x[i].raw, n[i].raw);
    }
  }

  template <int kCount>
  static HWY_NOINLINE void OfAny(V (&x)[kCount]) {
    V n[kCount];
    __mmask16 is_low[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) is_low[i] = IsLow(x[i]).raw;
    MakePower(x, n);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const __m512 places = _mm512_maskz_add_ps(is_low[i], n[i].raw, All(kPerLeast).raw);
      const __m512i bits = _mm512_cvtps_epi32(_mm512_scalef_ps(x[i].raw, places));
      const __m512 scaled = _mm512_maskz_scalef_ps(~is_low[i], x[i].raw, n[i].raw);
      x[i].raw = _mm512_mask_mov_ps(scaled, is_low[i], _mm512_castsi512_ps(bits));
    }
  }
#endif
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_VECTOR_EXPONENTIAL_INL_H_
