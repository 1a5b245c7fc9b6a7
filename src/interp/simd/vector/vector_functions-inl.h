// The transcendental functions of the C library's vector part (libmvec), at most 4 ULP off
// (tolerance.def), and some of our own, as functors of whole vectors: Vector_exp()(v).
// HLO_VECTOR_FUNCTIONS(ROW) calls ROW(Name, name) for each opcode kName that has one, Vector_name;
// it is undefined where the library is missing. Compiled once for each instruction set (the guard
// toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_VECTOR_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_FUNCTIONS_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_FUNCTIONS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_VECTOR_FUNCTIONS_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "interp/simd/vector/exponential_tanh-inl.h"
#include "interp/simd/vector/odd_pieces-inl.h"
#include "interp/simd/vector/vector_exponential-inl.h"

#undef HLO_VECTOR_FUNCTIONS
#undef HLO_VECTOR_ATAN2

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if defined(HLOKIT_HAS_LIBMVEC) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#if HWY_TARGET == HWY_AVX3
#define HLO_F32_FUNCTION(name) _ZGVeN16v_##name##f
#define HLO_F64_FUNCTION(name) _ZGVeN8v_##name
#define HLO_ATAN2_F32 _ZGVeN16vv_atan2f
#define HLO_ATAN2_F64 _ZGVeN8vv_atan2
using VectorF32 = __m512;
using VectorF64 = __m512d;
#elif HWY_TARGET == HWY_AVX2
#define HLO_F32_FUNCTION(name) _ZGVdN8v_##name##f
#define HLO_F64_FUNCTION(name) _ZGVdN4v_##name
#define HLO_ATAN2_F32 _ZGVdN8vv_atan2f
#define HLO_ATAN2_F64 _ZGVdN4vv_atan2
using VectorF32 = __m256;
using VectorF64 = __m256d;
#else
#define HLO_F32_FUNCTION(name) _ZGVbN4v_##name##f
#define HLO_F64_FUNCTION(name) _ZGVbN2v_##name
#define HLO_ATAN2_F32 _ZGVbN4vv_atan2f
#define HLO_ATAN2_F64 _ZGVbN2vv_atan2
using VectorF32 = __m128;
using VectorF64 = __m128d;
#endif

template <typename T>
using RegisterOf = hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::ScalableTag<T>>;

// By a function that changes vectors side by side.
template <class Fn, typename T>
struct SideBySide {
  using Vector = decltype(RegisterOf<T>::raw);
  Vector operator()(Vector x) const {
    RegisterOf<T> some[1] = {{x}};
    Fn()(some);
    return some[0].raw;
  }
  template <int kCount>
  HWY_INLINE void operator()(RegisterOf<T> (&x)[kCount]) const {
    Fn()(x);
  }
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
HLO_VECTOR_FUNCTION(sin)
HLO_VECTOR_FUNCTION(sinh)
HLO_VECTOR_FUNCTION(tan)
#if HWY_TARGET == HWY_AVX3
// Those of f32 that are dear or often used do without a call, for which all vectors that are in
// registers would go to memory and back: they take half to a third of the time.
extern "C" VectorF64 HLO_F64_FUNCTION(erf)(VectorF64);

// At most 2.3 ULP off.
struct Vector_erf {
  VectorF64 operator()(VectorF64 x) const { return HLO_F64_FUNCTION(erf)(x); }
  VectorF32 operator()(VectorF32 x) const { return ByPieces(kErfPieces, x); }
};

// At most 1.4 ULP off.
struct TanhF32 {
  VectorF32 operator()(VectorF32 x) const { return ByPieces(kTanhPieces, x); }
};
#else
HLO_VECTOR_FUNCTION(erf)
#if HWY_TARGET == HWY_AVX2
using TanhF32 = SideBySide<ExponentialTanh, float>;
#endif
#endif

// The library does what is near the ends of the numbers one by one, in some 10 times as long: from
// `low` down the function is `low_value`, from `high` on infinite.
template <typename T, typename Register, class Function>
HWY_INLINE Register WithinLimits(const Function& function, Register x, T low, T low_value, T high) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<T> d;
  const RegisterOf<T> v = {x};
  const auto is_low = hn::Lt(v, hn::Set(d, low)), is_high = hn::Gt(v, hn::Set(d, high));
  const auto is_any = hn::Or(is_low, is_high);
  if (HWY_LIKELY(hn::AllFalse(d, is_any))) return function(x);
  const RegisterOf<T> plain = {function(hn::IfThenZeroElse(is_any, v).raw)};
  const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  const auto upper = hn::IfThenElse(is_high, infinity, plain);
  return hn::IfThenElse(is_low, hn::Set(d, low_value), upper).raw;
}

extern "C" VectorF32 HLO_F32_FUNCTION(expm1)(VectorF32);
extern "C" VectorF64 HLO_F64_FUNCTION(expm1)(VectorF64);
struct Vector_expm1 {
  VectorF32 operator()(VectorF32 x) const {
    return WithinLimits<float>(HLO_F32_FUNCTION(expm1), x, -18, -1, 88.75f);
  }
  VectorF64 operator()(VectorF64 x) const {
    return WithinLimits<double>(HLO_F64_FUNCTION(expm1), x, -38, -1, 709.8);
  }
};

// What has no logarithm the library does one by one, in some 10 times as long. Zeros
// (probabilities, what masks hide) and negative numbers are common enough to be done here.
// `is_plain`: what is left to the function, as it does `one`, whose logarithm is 0. At `end` that
// is minus infinity; else it is no number where x is negative, and infinite where x is.
template <typename T, class Function, class Mask>
HWY_INLINE RegisterOf<T> LogarithmOfAny(const Function& function, RegisterOf<T> x, Mask is_plain,
                                        T one, T end) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<T> d;
  const RegisterOf<T> plain = {function(hn::IfThenElse(is_plain, x, hn::Set(d, one)).raw)};
  const auto infinity = hn::Set(d, -std::numeric_limits<T>::infinity());
  const auto other = hn::IfThenElse(hn::Eq(x, hn::Set(d, end)), infinity, hn::Sqrt(x));
  return hn::IfThenElse(is_plain, plain, other);
}

extern "C" VectorF32 HLO_F32_FUNCTION(log1p)(VectorF32);
extern "C" VectorF64 HLO_F64_FUNCTION(log1p)(VectorF64);
struct Vector_log1p {
  VectorF32 operator()(VectorF32 x) const { return OfAny<float>(HLO_F32_FUNCTION(log1p), x); }
  VectorF64 operator()(VectorF64 x) const { return OfAny<double>(HLO_F64_FUNCTION(log1p), x); }

 private:
  template <typename T, typename Register, class Function>
  static HWY_INLINE Register OfAny(const Function& function, Register x) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<T> d;
    const RegisterOf<T> v = {x};
    const auto is_plain = hn::Gt(v, hn::Set(d, T{-1}));
    if (HWY_LIKELY(hn::AllTrue(d, is_plain))) return function(x);
    return LogarithmOfAny<T>(function, v, is_plain, T{0}, T{-1}).raw;
  }
};

// Numbers too small for all their bits are left to the library.
extern "C" VectorF32 HLO_F32_FUNCTION(log)(VectorF32);
extern "C" VectorF64 HLO_F64_FUNCTION(log)(VectorF64);
struct Vector_log {
  VectorF32 operator()(VectorF32 x) const { return OfAny<float>(HLO_F32_FUNCTION(log), x); }
  VectorF64 operator()(VectorF64 x) const { return OfAny<double>(HLO_F64_FUNCTION(log), x); }

 private:
  template <typename T, typename Register, class Function>
  static HWY_INLINE Register OfAny(const Function& function, Register x) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<T> d;
    const RegisterOf<T> v = {x};
    const auto least = hn::Set(d, std::numeric_limits<T>::min());
    const auto most = hn::Set(d, std::numeric_limits<T>::max());
    const auto is_plain = hn::And(hn::Ge(v, least), hn::Le(v, most));
    if (HWY_LIKELY(hn::AllTrue(d, is_plain))) return function(x);
    const auto is_tiny = hn::And(hn::Lt(v, least), hn::Gt(v, hn::Zero(d)));
    if (!hn::AllFalse(d, is_tiny)) return function(x);
    return LogarithmOfAny<T>(function, v, is_plain, T{1}, T{0}).raw;
  }
};

#ifdef HLO_VECTOR_EXPONENTIAL
extern "C" VectorF64 HLO_F64_FUNCTION(exp)(VectorF64);

struct Vector_exp : SideBySide<VectorExponential, float> {
  using SideBySide::operator();
  VectorF64 operator()(VectorF64 x) const {
    return WithinLimits<double>(HLO_F64_FUNCTION(exp), x, -746, 0, 709.8);
  }
};
struct Vector_tanh : TanhF32, SideBySide<ExponentialTanhF64, double> {
  using TanhF32::operator();
  using SideBySide<ExponentialTanhF64, double>::operator();
};
#else
HLO_VECTOR_FUNCTION(tanh)
HLO_VECTOR_FUNCTION(exp)
#endif
#undef HLO_VECTOR_FUNCTION

// 1 / (1 + exp(-x)), as the functor has it.
struct Vector_logistic {
  VectorF64 operator()(VectorF64 x) const { return 1 / (1 + Vector_exp()(-x)); }
  VectorF32 operator()(VectorF32 x) const { return 1 / (1 + Vector_exp()(-x)); }
#ifdef HLO_VECTOR_EXPONENTIAL
  template <int kCount>
  HWY_INLINE void operator()(RegisterOf<float> (&x)[kCount]) const {
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i].raw = -x[i].raw;
    Vector_exp()(x);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) x[i].raw = 1 / (1 + x[i].raw);
  }
#endif
};

// Whether Fn changes four vectors of T side by side, which takes less time than one after the
// other.
template <class Fn, typename T>
concept TakesFour = requires(RegisterOf<T> (&x)[4]) {
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

// The one of two arguments.
#define HLO_VECTOR_ATAN2
extern "C" VectorF32 HLO_ATAN2_F32(VectorF32, VectorF32);
extern "C" VectorF64 HLO_ATAN2_F64(VectorF64, VectorF64);
struct VectorAtan2 {
  VectorF32 operator()(VectorF32 y, VectorF32 x) const { return HLO_ATAN2_F32(y, x); }
  VectorF64 operator()(VectorF64 y, VectorF64 x) const { return HLO_ATAN2_F64(y, x); }
  template <class D>
  HWY_INLINE hwy::HWY_NAMESPACE::VFromD<D> operator()(D, hwy::HWY_NAMESPACE::VFromD<D> y,
                                                      hwy::HWY_NAMESPACE::VFromD<D> x) const {
    y.raw = (*this)(y.raw, x.raw);
    return y;
  }
};

#undef HLO_ATAN2_F32
#undef HLO_ATAN2_F64
#undef HLO_F32_FUNCTION
#undef HLO_F64_FUNCTION
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_VECTOR_FUNCTIONS_INL_H_
