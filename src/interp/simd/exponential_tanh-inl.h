// The hyperbolic tangent of f32 by exp, with AVX2, for some vectors side by side
// (vector_exponential-inl.h). AVX-512, which looks 16 numbers up in an instruction, has a faster one
// (odd_pieces-inl.h). Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_EXPONENTIAL_TANH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_EXPONENTIAL_TANH_INL_H_
#undef HLOKIT_INTERP_SIMD_EXPONENTIAL_TANH_INL_H_
#else
#define HLOKIT_INTERP_SIMD_EXPONENTIAL_TANH_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/vector_exponential-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

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

#endif  // HLOKIT_INTERP_SIMD_EXPONENTIAL_TANH_INL_H_
