// The meaning of the unary elementwise opcodes, one functor each, on single elements (semantics.md
// 3, complex numbers 3.1).
//
// A functor takes the type it computes in: integers and pred as they are (sub-byte integers too,
// they wrap on construction), f32 and f64 as float and double, narrow floats widened to float by
// the caller, who also rounds the result to the element type, once (semantics.md 1.2). Types
// without a meaning have no overload.
#ifndef HLOKIT_INTERP_KERNEL_SCALAR_OPS_UNARY_H_
#define HLOKIT_INTERP_KERNEL_SCALAR_OPS_UNARY_H_

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "ir/element_traits.h"

namespace hlo {

// The magnitude; of the smallest signed integer that is itself again.
struct AbsFn {
  template <IntegerElement T>
  constexpr T operator()(T x) const {
    return NativeValue(x) < 0 ? T(0u - Wrapping(x)) : x;
  }
  template <RealElement T>
  T operator()(T x) const {
    return std::fabs(x);
  }
  // hypot: no overflow inside, and an infinite part wins over a NaN.
  template <ComplexElement T>
  typename T::value_type operator()(T z) const {
    return std::hypot(z.real(), z.imag());
  }
};

struct NegateFn {
  template <IntegerElement T>
  constexpr T operator()(T x) const {
    return T(0u - Wrapping(x));
  }
  template <FloatElement T>
  T operator()(T x) const {
    return -x;
  }
};

struct NotFn {
  constexpr bool operator()(PredElement auto x) const { return !x; }
  template <IntegerElement T>
  constexpr T operator()(T x) const {
    return T(~Wrapping(x));
  }
};

struct SignFn {
  template <IntegerElement T>
  constexpr T operator()(T x) const {
    const auto value = NativeValue(x);
    return T((value > 0) - (value < 0));
  }
  // Zeros and NaN are their own sign.
  template <RealElement T>
  constexpr T operator()(T x) const {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  }
  template <ComplexElement T>
  T operator()(T z) const {
    if (z == T(0)) return T(0);
    const auto magnitude = AbsFn()(z);
    return T(z.real() / magnitude, z.imag() / magnitude);
  }
};

struct PopulationCountFn {
  template <IntegerElement T>
  constexpr T operator()(T x) const {
    return T(std::popcount(WidthBits(x)));
  }
};

struct CountLeadingZerosFn {
  template <IntegerElement T>
  constexpr T operator()(T x) const {
    const auto bits = WidthBits(x);
    constexpr int kUnused = static_cast<int>(sizeof(bits)) * 8 - IntegerTraits<T>::kBits;
    return T(std::countl_zero(bits) - kUnused);
  }
};

struct FloorFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
struct CeilFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};
// Ties away from zero.
struct RoundNearestAfzFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::round(x);
  }
};
struct RoundNearestEvenFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::nearbyint(x);
  }
};

struct IsFiniteFn {
  template <RealElement T>
  bool operator()(T x) const {
    return std::fabs(x) <= std::numeric_limits<T>::max();
  }
};

struct RealFn {
  template <RealElement T>
  constexpr T operator()(T x) const {
    return x;
  }
  template <ComplexElement T>
  constexpr typename T::value_type operator()(T z) const {
    return z.real();
  }
};
struct ImagFn {
  template <RealElement T>
  constexpr T operator()(T) const {
    return 0;
  }
  template <ComplexElement T>
  constexpr typename T::value_type operator()(T z) const {
    return z.imag();
  }
};

struct CbrtFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::cbrt(x);
  }
};
struct ErfFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::erf(x);
  }
};

// The functions that the C library has for real and complex numbers alike; complex ones follow
// C99 Annex G: principal branches, the sign of zero chooses the side of a cut.
#define HLO_LIBRARY_FUNCTION(Name, function) \
  struct Name##Fn {                          \
    template <FloatElement T>                \
    T operator()(T x) const {                \
      return std::function(x);               \
    }                                        \
  };
HLO_LIBRARY_FUNCTION(Acos, acos)
HLO_LIBRARY_FUNCTION(Acosh, acosh)
HLO_LIBRARY_FUNCTION(Asin, asin)
HLO_LIBRARY_FUNCTION(Asinh, asinh)
HLO_LIBRARY_FUNCTION(Atanh, atanh)
HLO_LIBRARY_FUNCTION(Cosh, cosh)
HLO_LIBRARY_FUNCTION(Cosine, cos)
HLO_LIBRARY_FUNCTION(Exponential, exp)
HLO_LIBRARY_FUNCTION(Log, log)
HLO_LIBRARY_FUNCTION(Sine, sin)
HLO_LIBRARY_FUNCTION(Sinh, sinh)
HLO_LIBRARY_FUNCTION(Sqrt, sqrt)
HLO_LIBRARY_FUNCTION(Tan, tan)
HLO_LIBRARY_FUNCTION(Tanh, tanh)
#undef HLO_LIBRARY_FUNCTION

// Two roundings: of the root, then of the quotient.
struct RsqrtFn {
  template <FloatElement T>
  T operator()(T x) const {
    return T(1) / std::sqrt(x);
  }
};

struct LogisticFn {
  template <FloatElement T>
  T operator()(T x) const {
    return T(1) / (T(1) + std::exp(-x));
  }
};

struct ExponentialMinusOneFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::expm1(x);
  }
  // Re = expm1(x) cos(y) - 2 sin(y/2)^2, Im = e^x sin(y); on the real axis that would make a NaN
  // of 0 * infinity.
  template <ComplexElement T>
  T operator()(T z) const {
    using Part = typename T::value_type;
    const Part x = z.real();
    const Part y = z.imag();
    if (y == 0) return T(std::expm1(x), y);
    const Part half = std::sin(y / 2);
    return T(std::expm1(x) * std::cos(y) - 2 * half * half, std::exp(x) * std::sin(y));
  }
};

struct LogPlusOneFn {
  template <RealElement T>
  T operator()(T x) const {
    return std::log1p(x);
  }
  // Re = log1p(2x + x^2 + y^2) / 2, exact near 0. Near -1, where the sum cancels, and where it
  // overflows it is ln(abs(1 + z)); 1 + x is exact near -1.
  template <ComplexElement T>
  T operator()(T z) const {
    using Part = typename T::value_type;
    const Part x = z.real();
    const Part y = z.imag();
    const Part squares = x * (2 + x) + y * y;
    const bool is_near_zero = std::isfinite(squares) && squares > Part(-0.5);
    const Part real = is_near_zero ? std::log1p(squares) / 2 : std::log(std::hypot(1 + x, y));
    return T(real, std::atan2(y, 1 + x));
  }
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_SCALAR_OPS_UNARY_H_
