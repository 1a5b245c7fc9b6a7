// The hyperbolic tangent by exp, where fma is an instruction, for some vectors side by side
// (vector_exponential-inl.h): of f64, and of f32 with AVX2; AVX-512, which looks 16 numbers up in
// an instruction, has a faster one (odd_pieces-inl.h). Compiled once for each instruction set (the
// guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_TANH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_TANH_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_TANH_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_TANH_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/vector/vector_exponential-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_VECTOR_EXPONENTIAL
// tanh(|x|) = e / (e + 2) with e = exp(2 |x|) - 1. At most 2.5 ULP off. The library's takes two or
// three times as long, and longer still for vectors that have a NaN.
class ExponentialTanhF64 {
  using D = hwy::HWY_NAMESPACE::ScalableTag<double>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;

 public:
  // Each x becomes tanh(x).
  template <int kCount>
  HWY_INLINE void operator()(V (&x)[kCount]) const {
    namespace hn = hwy::HWY_NAMESPACE;
    V e[kCount], power[kCount];
    // From 20 on it is 1. NaN stays, being the second operand.
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const V y = hn::Min(All(20.0), hn::Abs(x[i]));
      e[i] = hn::Add(y, y);
      Reduce(e[i], power[i]);
    }
    MakeMinusOne(e);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      e[i] = hn::MulAdd(power[i], e[i], hn::Sub(power[i], All(1.0)));
      x[i] = hn::CopySignToAbs(hn::Div(e[i], hn::Add(e[i], All(2.0))), x[i]);
    }
  }

 private:
  static V All(double value) { return hwy::HWY_NAMESPACE::Set(D(), value); }

  // r instead of u, and 2^n, where u = n ln 2 + r.
  HWY_INLINE static void Reduce(V& u, V& power) {
    namespace hn = hwy::HWY_NAMESPACE;
    constexpr double kPerLn2 = 0x1.71547652b82fep+0;
#if HWY_TARGET == HWY_AVX2
    // n in the last digits of a large number, from where it goes to the exponent.
    constexpr double kRounding = 0x1.8p52;
    const hn::RebindToSigned<D> integers;
    const V rounding = hn::MulAdd(u, All(kPerLn2), All(kRounding));
    const V n = hn::Sub(rounding, All(kRounding));
    power = hn::BitCast(D(), hn::Add(hn::BitCast(integers, All(1.0)),
                                     hn::ShiftLeft<52>(hn::BitCast(integers, rounding))));
#else
    const V n = hn::Round(hn::Mul(u, All(kPerLn2)));
    power = {_mm512_scalef_pd(All(1.0).raw, n.raw)};
#endif
    // ln 2 in two parts.
    u = hn::NegMulAdd(n, All(0x1.62e42fefa39efp-1), u);
    u = hn::NegMulAdd(n, All(0x1.abc9e3b39803fp-56), u);
  }

  // exp(r) - 1 = r + r^2 (1/2! + r/3! + ... + r^11/13!) instead of r, where |r| <= ln 2 / 2; by
  // pairs of terms, which do not wait for each other.
  template <int kCount>
  HWY_INLINE static void MakeMinusOne(V (&r)[kCount]) {
    namespace hn = hwy::HWY_NAMESPACE;
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const V r2 = hn::Mul(r[i], r[i]), r4 = hn::Mul(r2, r2);
      const auto pair = [&](double factorial, double next) HWY_ATTR {
        return hn::MulAdd(r[i], All(1 / next), All(1 / factorial));
      };
      const auto four = [&](V low, V high) HWY_ATTR { return hn::MulAdd(r2, high, low); };
      const V q0 = four(pair(2, 6), pair(24, 120));
      const V q4 = four(pair(720, 5040), pair(40320, 362880));
      const V q8 = four(pair(3628800, 39916800), pair(479001600, 6227020800));
      const V q = hn::MulAdd(r4, hn::MulAdd(r4, q8, q4), q0);
      r[i] = hn::MulAdd(r2, q, r[i]);
    }
  }
};
#endif

#if HWY_TARGET == HWY_AVX2
// tanh(|x|) = e / (e + 2) with e = exp(2 |x|) - 1, and a polynomial below 1/2, where the sum loses
// digits. At most 1.5 ULP off.
class ExponentialTanh {
  using V = ExponentialParts::V;

 public:
  // Each x becomes tanh(x).
  template <int kCount>
  HWY_INLINE void operator()(V (&x)[kCount]) const {
    namespace hn = hwy::HWY_NAMESPACE;
    V t[kCount], e[kCount];
    // From 9.1 on it is 1. NaN stays, being the second operand.
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      t[i] = hn::Abs(x[i]);
      e[i] = hn::Min(All(18.2f), hn::Add(t[i], t[i]));
    }
    ExponentialParts::MinusOne(e);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) e[i] = hn::Div(e[i], hn::Add(e[i], All(2.0f)));
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      const V value = hn::IfThenElse(hn::Lt(t[i], All(0.5f)), OfSmall(t[i]), e[i]);
      x[i] = hn::CopySignToAbs(value, x[i]);
    }
  }

 private:
  static V All(float value) { return ExponentialParts::All(value); }

  // t + t^3 p(t^2), p fitted where t <= 1/2.
  HWY_INLINE static V OfSmall(V t) {
    namespace hn = hwy::HWY_NAMESPACE;
    const V square = hn::Mul(t, t);
    V p = hn::MulAdd(All(0x1.1a77a8p-6f), square, All(-0x1.b28b66p-5f));
    p = hn::MulAdd(p, square, All(0x1.10e9f2p-3f));
    p = hn::MulAdd(p, square, All(-0x1.5554d6p-2f));
    return hn::MulAdd(hn::Mul(square, t), p, t);
  }
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_EXPONENTIAL_TANH_INL_H_
