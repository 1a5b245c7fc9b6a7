// The meaning of the binary elementwise opcodes, one functor each, on single elements
// (semantics.md 4.1).
//
// A functor takes the type it computes in: integers and pred as they are (sub-byte integers too,
// they wrap on construction), f32 and f64 as float and double, narrow floats widened to float by
// the caller, who also rounds the result to the element type, once (semantics.md 1.2). Types
// without a meaning have no overload.
#ifndef HLOKIT_INTERP_KERNEL_SCALAR_OPS_BINARY_H_
#define HLOKIT_INTERP_KERNEL_SCALAR_OPS_BINARY_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "interp/kernel/scalar_ops_unary.h"
#include "ir/element_traits.h"

namespace hlo {

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

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_SCALAR_OPS_BINARY_H_
