// The transcendental functions of the C library's vector part (libmvec), at most 4 ULP off
// (tolerance.def), and some of our own, as functors of whole vectors: Vector_exp()(v).
// HLO_VECTOR_FUNCTIONS(ROW) calls ROW(Name, name) for each opcode kName that has one, Vector_name;
// it is undefined where the library is missing. Compiled once for each instruction set (the guard
// toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_FUNCTIONS_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_FUNCTIONS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_FUNCTIONS_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/exponential_tanh-inl.h"
#include "interp/simd/odd_pieces-inl.h"
#include "interp/simd/vector_exponential-inl.h"

#undef HLO_VECTOR_FUNCTIONS

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if defined(HLOKIT_HAS_LIBMVEC) && HWY_TARGET != HWY_SCALAR
#if HWY_TARGET == HWY_AVX3
#define HLO_F32_FUNCTION(name) _ZGVeN16v_##name##f
#define HLO_F64_FUNCTION(name) _ZGVeN8v_##name
using VectorF32 = __m512;
using VectorF64 = __m512d;
#elif HWY_TARGET == HWY_AVX2
#define HLO_F32_FUNCTION(name) _ZGVdN8v_##name##f
#define HLO_F64_FUNCTION(name) _ZGVdN4v_##name
using VectorF32 = __m256;
using VectorF64 = __m256d;
#else
#define HLO_F32_FUNCTION(name) _ZGVbN4v_##name##f
#define HLO_F64_FUNCTION(name) _ZGVbN2v_##name
using VectorF32 = __m128;
using VectorF64 = __m128d;
#endif

using RegisterF32 = hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::ScalableTag<float>>;

// By a function that changes vectors side by side.
template <class Fn>
struct SideBySide {
  VectorF32 operator()(VectorF32 x) const {
    RegisterF32 some[1] = {{x}};
    Fn()(some);
    return some[0].raw;
  }
  template <int kCount>
  HWY_INLINE void operator()(RegisterF32 (&x)[kCount]) const {
    Fn()(x);
  }
};

template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Type = VectorF32;
};
template <>
struct VectorOf<double> {
  using Type = VectorF64;
};

#define HLO_VECTOR_FUNCTION(name)                                                 \
  extern "C" VectorF32 HLO_F32_FUNCTION(name)(VectorF32);                         \
  extern "C" VectorF64 HLO_F64_FUNCTION(name)(VectorF64);                         \
  struct Vector_##name {                                                          \
    VectorF32 operator()(VectorF32 x) const { return HLO_F32_FUNCTION(name)(x); } \
    VectorF64 operator()(VectorF64 x) const { return HLO_F64_FUNCTION(name)(x); } \
  };
HLO_VECTOR_FUNCTION(acos)
HLO_VECTOR_FUNCTION(acosh)
HLO_VECTOR_FUNCTION(asin)
HLO_VECTOR_FUNCTION(asinh)
HLO_VECTOR_FUNCTION(atanh)
HLO_VECTOR_FUNCTION(cbrt)
HLO_VECTOR_FUNCTION(cos)
HLO_VECTOR_FUNCTION(cosh)
HLO_VECTOR_FUNCTION(expm1)
HLO_VECTOR_FUNCTION(log)
HLO_VECTOR_FUNCTION(log1p)
HLO_VECTOR_FUNCTION(sin)
HLO_VECTOR_FUNCTION(sinh)
HLO_VECTOR_FUNCTION(tan)
#if HWY_TARGET == HWY_AVX3
// Those of f32 that are dear or often used do without a call, for which all vectors that are in
// registers would go to memory and back: they take half to a third of the time.
extern "C" VectorF64 HLO_F64_FUNCTION(erf)(VectorF64);

// tanh(x) = e / (e + 2) with e = exp(2 |x|) - 1, and the sign of x. The library's takes twice as
// long, and four times for vectors that have a NaN.
HWY_INLINE VectorF64 TanhF64(VectorF64 x) {
  const auto all = [](double value) { return _mm512_set1_pd(value); };
  // From there on it is 1. NaN stays, being the second operand.
  const VectorF64 y = _mm512_min_pd(all(20.0), _mm512_abs_pd(x));
  const VectorF64 u = _mm512_add_pd(y, y);
  const VectorF64 n = _mm512_roundscale_pd(_mm512_mul_pd(u, all(0x1.71547652b82fep+0)),
                                           _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  // ln 2 in two parts.
  VectorF64 r = _mm512_fnmadd_pd(n, all(0x1.62e42fefa39efp-1), u);
  r = _mm512_fnmadd_pd(n, all(0x1.abc9e3b39803fp-56), r);
  // exp(r) - 1 = r + r^2 (1/2! + r/3! + ... + r^11/13!), where |r| <= ln 2 / 2; by pairs of terms,
  // which do not wait for each other.
  const VectorF64 r2 = _mm512_mul_pd(r, r), r4 = _mm512_mul_pd(r2, r2);
  const auto pair = [&](double factorial, double next) {
    return _mm512_fmadd_pd(r, all(1 / next), all(1 / factorial));
  };
  const auto four = [&](VectorF64 low, VectorF64 high) { return _mm512_fmadd_pd(r2, high, low); };
  const VectorF64 q0 = four(pair(2, 6), pair(24, 120));
  const VectorF64 q4 = four(pair(720, 5040), pair(40320, 362880));
  const VectorF64 q8 = four(pair(3628800, 39916800), pair(479001600, 6227020800));
  VectorF64 q = _mm512_fmadd_pd(r4, _mm512_fmadd_pd(r4, q8, q4), q0);
  q = _mm512_fmadd_pd(r2, q, r);
  const VectorF64 power = _mm512_scalef_pd(all(1.0), n);
  const VectorF64 e = _mm512_fmadd_pd(power, q, _mm512_sub_pd(power, all(1.0)));
  const VectorF64 value = _mm512_div_pd(e, _mm512_add_pd(e, all(2.0)));
  return _mm512_or_pd(value, _mm512_and_pd(x, all(-0.0)));
}

// At most 2.3 ULP off.
struct Vector_erf {
  VectorF64 operator()(VectorF64 x) const { return HLO_F64_FUNCTION(erf)(x); }
  VectorF32 operator()(VectorF32 x) const { return ByPieces(kErfPieces, x); }
};

// Of f32 at most 1.4 ULP off, of f64 at most 2.5.
struct Vector_tanh {
  VectorF64 operator()(VectorF64 x) const { return TanhF64(x); }
  VectorF32 operator()(VectorF32 x) const { return ByPieces(kTanhPieces, x); }
};
#else
HLO_VECTOR_FUNCTION(erf)
#if HWY_TARGET == HWY_AVX2
extern "C" VectorF64 HLO_F64_FUNCTION(tanh)(VectorF64);

struct Vector_tanh : SideBySide<ExponentialTanh> {
  using SideBySide::operator();
  VectorF64 operator()(VectorF64 x) const { return HLO_F64_FUNCTION(tanh)(x); }
};
#else
HLO_VECTOR_FUNCTION(tanh)
#endif
#endif

#ifdef HLO_VECTOR_EXPONENTIAL
extern "C" VectorF64 HLO_F64_FUNCTION(exp)(VectorF64);

struct Vector_exp : SideBySide<VectorExponential> {
  using SideBySide::operator();
  VectorF64 operator()(VectorF64 x) const { return HLO_F64_FUNCTION(exp)(x); }
};
#else
HLO_VECTOR_FUNCTION(exp)
#endif
#undef HLO_VECTOR_FUNCTION

// 1 / (1 + exp(-x)), as the functor has it.
struct Vector_logistic {
  VectorF64 operator()(VectorF64 x) const { return 1 / (1 + Vector_exp()(-x)); }
  VectorF32 operator()(VectorF32 x) const { return 1 / (1 + Vector_exp()(-x)); }
#ifdef HLO_VECTOR_EXPONENTIAL
  template <int kCount>
  HWY_INLINE void operator()(RegisterF32 (&x)[kCount]) const {
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i].raw = -x[i].raw;
    Vector_exp()(x);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i].raw = 1 / (1 + x[i].raw);
  }
#endif
};

// Whether Fn changes four vectors side by side, which takes less time than one after the other.
template <class Fn>
concept TakesFour = requires(RegisterF32 (&x)[4]) {
  Fn()(x);
};

#define HLO_VECTOR_FUNCTIONS(ROW) \
  ROW(Acos, acos)                 \
  ROW(Acosh, acosh)               \
  ROW(Asin, asin)                 \
  ROW(Asinh, asinh)               \
  ROW(Atanh, atanh)               \
  ROW(Cbrt, cbrt)                 \
  ROW(Cosine, cos)                \
  ROW(Cosh, cosh)                 \
  ROW(Erf, erf)                   \
  ROW(Exponential, exp)           \
  ROW(ExponentialMinusOne, expm1) \
  ROW(Log, log)                   \
  ROW(LogPlusOne, log1p)          \
  ROW(Logistic, logistic)         \
  ROW(Sine, sin)                  \
  ROW(Sinh, sinh)                 \
  ROW(Tan, tan)                   \
  ROW(Tanh, tanh)

#undef HLO_F32_FUNCTION
#undef HLO_F64_FUNCTION
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_FUNCTIONS_INL_H_
