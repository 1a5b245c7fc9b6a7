// The meaning of every elementwise opcode, one functor each, on single elements.
//
// A functor takes the type it computes in: integers and pred as they are (sub-byte integers too,
// they wrap on construction), f32 and f64 as float and double, narrow floats widened to float by
// the caller, who also rounds the result to the element type, once (semantics.md 1.2). A type the
// opcode has no meaning for has no overload: callers ask std::invocable.
// Sources: semantics.md 3 (unary), 3.1 (complex), 4 (binary).
#ifndef HLOKIT_INTERP_SCALAR_OPS_H_
#define HLOKIT_INTERP_SCALAR_OPS_H_

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "interp/element_traits.h"

namespace hlo {

// --- Unary -------------------------------------------------------------------------------------

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
  // Re = log1p(2x + x^2 + y^2) / 2, exact near 0; where the squares overflow it is ln(abs(z)).
  template <ComplexElement T>
  T operator()(T z) const {
    using Part = typename T::value_type;
    const Part x = z.real();
    const Part y = z.imag();
    const Part squares = 2 * x + x * x + y * y;
    const Part real = std::isfinite(squares) ? std::log1p(squares) / 2 : std::log(AbsFn()(z));
    return T(real, std::atan2(y, 1 + x));
  }
};

// --- Binary ------------------------------------------------------------------------------------

struct AddFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a | b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return T(Wrapping(a) + Wrapping(b));
  }
  template <FloatElement T>
  T operator()(T a, T b) const {
    return a + b;
  }
};

struct SubtractFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a ^ b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return T(Wrapping(a) - Wrapping(b));
  }
  template <FloatElement T>
  T operator()(T a, T b) const {
    return a - b;
  }
};

// Complex: (ac - bd) + i(ad + bc), infinities recovered as Annex G does.
struct MultiplyFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a & b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return T(Wrapping(a) * Wrapping(b));
  }
  template <FloatElement T>
  T operator()(T a, T b) const {
    return a * b;
  }
};

// Integers truncate toward zero; x / 0 is all ones, MIN / -1 is MIN.
struct DivideFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a | !b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    const auto divisor = NativeValue(b);
    if (divisor == 0) return T(-1);
    if constexpr (kIsSigned<T>) {
      if (divisor == -1) return NegateFn()(a);
    }
    return T(NativeValue(a) / divisor);
  }
  template <FloatElement T>
  T operator()(T a, T b) const {
    return a / b;
  }
};

// The sign of the dividend; x rem 0 is x for integers and NaN for floats, MIN rem -1 is 0.
struct RemainderFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a & !b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    const auto divisor = NativeValue(b);
    if (divisor == 0) return a;
    if constexpr (kIsSigned<T>) {
      if (divisor == -1) return T(0);
    }
    return T(NativeValue(a) % divisor);
  }
  template <RealElement T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
};

// The high half of the double-width product.
struct MultiplyHighFn {
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    using Native = typename IntegerTraits<T>::Native;
    if constexpr (IntegerTraits<T>::kBits == 64) {
      using Wide = std::conditional_t<kIsSigned<T>, __int128, unsigned __int128>;
      return static_cast<Native>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> 64);
    } else {
      using Wide = std::conditional_t<kIsSigned<T>, int64_t, uint64_t>;
      const Wide product = static_cast<Wide>(NativeValue(a)) * static_cast<Wide>(NativeValue(b));
      return T(product >> IntegerTraits<T>::kBits);
    }
  }
};

// A NaN operand is the result, the first one before the second; of equal operands (-0 and +0
// among them) the first is returned.
struct MaximumFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a | b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return NativeValue(a) >= NativeValue(b) ? a : b;
  }
  template <RealElement T>
  constexpr T operator()(T a, T b) const {
    return a >= b || a != a ? a : b;
  }
};
struct MinimumFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a & b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return NativeValue(a) <= NativeValue(b) ? a : b;
  }
  template <RealElement T>
  constexpr T operator()(T a, T b) const {
    return a <= b || a != a ? a : b;
  }
};

struct PowerFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a | !b; }
  // Modulo 2^w with the complete exponent; a negative one gives 0 for every base but 1.
  template <IntegerElement T>
  constexpr T operator()(T base, T exponent) const {
    if (NativeValue(base) == 1) return base;
    if (NativeValue(exponent) < 0) return T(0);
    auto square = Wrapping(base);
    decltype(square) result = 1;
    for (auto rest = WidthBits(exponent); rest != 0; rest >>= 1) {
      if (rest & 1) result *= square;
      square *= square;
    }
    return T(result);
  }
  // C's pow: a base of 1 or an exponent of 0 gives 1 even beside a NaN.
  template <RealElement T>
  T operator()(T base, T exponent) const {
    return std::pow(base, exponent);
  }
  // exp(w log z) but for the cases where the logarithm or the product is no number.
  template <ComplexElement T>
  T operator()(T z, T w) const {
    using Part = typename T::value_type;
    if (z == T(1) || w == T(0)) return T(1);
    if (z == T(0) && w.real() > 0) return T(0);
    if (z == T(std::numeric_limits<Part>::infinity()) && w.imag() == 0) {
      if (w.real() > 0) return z;
      if (w.real() < 0) return T(0);
    }
    return std::exp(w * std::log(z));
  }
};

struct Atan2Fn {
  template <RealElement T>
  T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
  // -i log((x + iy) / sqrt(x^2 + y^2))
  template <ComplexElement T>
  T operator()(T y, T x) const {
    const T quotient = (x + T(-y.imag(), y.real())) / std::sqrt(x * x + y * y);
    const T log = std::log(quotient);
    return T(log.imag(), -log.real());
  }
};

struct ComplexFn {
  template <RealElement T>
  constexpr std::complex<T> operator()(T real, T imag) const {
    return {real, imag};
  }
};

struct AndFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a & b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return T(Wrapping(a) & Wrapping(b));
  }
};
struct OrFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a | b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return T(Wrapping(a) | Wrapping(b));
  }
};
struct XorFn {
  constexpr bool operator()(PredElement auto a, bool b) const { return a ^ b; }
  template <IntegerElement T>
  constexpr T operator()(T a, T b) const {
    return T(Wrapping(a) ^ Wrapping(b));
  }
};

// The shift amount is read as unsigned at the width of the type; one of the width or more shifts
// everything out (semantics.md 4.1).
struct ShiftLeftFn {
  template <IntegerElement T>
  constexpr T operator()(T x, T amount) const {
    const auto count = WidthBits(amount);
    return count < IntegerTraits<T>::kBits ? T(Wrapping(x) << count) : T(0);
  }
};
struct ShiftRightLogicalFn {
  template <IntegerElement T>
  constexpr T operator()(T x, T amount) const {
    const auto count = WidthBits(amount);
    return count < IntegerTraits<T>::kBits ? T(WidthBits(x) >> count) : T(0);
  }
};
// Fills with the top bit, of unsigned types too.
struct ShiftRightArithmeticFn {
  template <IntegerElement T>
  constexpr T operator()(T x, T amount) const {
    constexpr int kBits = IntegerTraits<T>::kBits;
    using Signed = std::make_signed_t<decltype(Wrapping(x))>;
    constexpr int kUnused = static_cast<int>(sizeof(Signed)) * 8 - kBits;
    const auto value = static_cast<Signed>(Wrapping(x) << kUnused) >> kUnused;
    const auto count = WidthBits(amount);
    return T(value >> (count < kBits ? count : kBits - 1));
  }
};

// --- Comparisons -------------------------------------------------------------------------------
// Of floats IEEE: a NaN makes all but Ne false. Complex numbers are equal or not.

template <typename T>
constexpr auto Comparable(T x) {
  if constexpr (IntegerElement<T>) {
    return NativeValue(x);
  } else {
    return x;
  }
}

struct EqFn {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return Comparable(a) == Comparable(b);
  }
};
struct NeFn {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return Comparable(a) != Comparable(b);
  }
};
struct LtFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) < Comparable(b);
  }
};
struct LeFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) <= Comparable(b);
  }
};
struct GtFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) > Comparable(b);
  }
};
struct GeFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) >= Comparable(b);
  }
};

// --- Ternary -----------------------------------------------------------------------------------

// min(hi, max(x, lo)): lo > hi gives hi, and any NaN is the result.
struct ClampFn {
  constexpr bool operator()(PredElement auto lo, bool x, bool hi) const { return hi & (x | lo); }
  template <typename T>
  requires IntegerElement<T> || RealElement<T>
  constexpr T operator()(T lo, T x, T hi) const { return MinimumFn()(hi, MaximumFn()(x, lo)); }
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_SCALAR_OPS_H_
