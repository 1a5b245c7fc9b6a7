// Functions of c64, some numbers at a time: computed in f64, which holds what lies between and has
// digits to spare, and rounded once. Where a part is NaN, as where infinities meet, they say so:
// these are the functors'. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_LOOPS_COMPLEX_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_LOOPS_COMPLEX_FUNCTIONS_INL_H_
#undef HLOKIT_INTERP_SIMD_LOOPS_COMPLEX_FUNCTIONS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_LOOPS_COMPLEX_FUNCTIONS_INL_H_
#endif

#include <complex>
#include <cstdint>

#include "hwy/highway.h"
#include "interp/simd/loops/tile_loops-inl.h"
#include "interp/simd/vector/vector_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_VECTOR_FUNCTIONS
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using VectorOfDoubles = hn::Vec<Doubles>;

// Parts of numbers and, of real functions, results in the first of them.
struct Parts {
  VectorOfDoubles real, imag;
};

inline VectorOfDoubles SumOfSquares(const Parts& z) {
  return hn::Add(hn::Mul(z.real, z.real), hn::Mul(z.imag, z.imag));
}

// Rounded to f32.
inline VectorOfDoubles Rounded(VectorOfDoubles x) {
  const Doubles d;
  return hn::PromoteTo(d, hn::DemoteTo(hn::Rebind<float, Doubles>(), x));
}

inline VectorOfDoubles Magnitude(const Parts& z) { return hn::Sqrt(SumOfSquares(z)); }

// As the C library has it for f32.
struct ComplexAbs {
  static constexpr Opcode kOpcode = Opcode::kAbs;
  static constexpr bool kIsReal = true;
  static bool Of(Parts& z) {
    z.real = Magnitude(z);
    return true;
  }
};

// Quotients by the magnitude in f32: rounded again they are quotients of f32. Zero is NaN here.
struct ComplexSign {
  static constexpr Opcode kOpcode = Opcode::kSign;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    const VectorOfDoubles magnitude = Rounded(Magnitude(z));
    z.real = hn::Div(z.real, magnitude);
    z.imag = hn::Div(z.imag, magnitude);
    return true;
  }
};

// sqrt((abs(x) + abs(z)) / 2) is the larger part, where nothing cancels, and half of y by that the
// other one. The root of zero is NaN here.
struct ComplexSqrt {
  static constexpr Opcode kOpcode = Opcode::kSqrt;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    const Doubles d;
    const VectorOfDoubles half = hn::Set(d, 0.5);
    const VectorOfDoubles larger = hn::Sqrt(hn::Mul(half, hn::Add(hn::Abs(z.real), Magnitude(z))));
    const VectorOfDoubles smaller = hn::Div(hn::Mul(half, z.imag), larger);
    const auto is_left = hn::Lt(z.real, hn::Zero(d));
    z.real = hn::IfThenElse(is_left, hn::Abs(smaller), larger);
    z.imag = hn::IfThenElse(is_left, hn::CopySign(larger, z.imag), smaller);
    return true;
  }
};

// The inverse of the rounded root, whose imaginary part is no negative zero.
struct ComplexRsqrt {
  static constexpr Opcode kOpcode = Opcode::kRsqrt;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    ComplexSqrt::Of(z);
    z = {Rounded(z.real), Rounded(z.imag)};
    const VectorOfDoubles squares = SumOfSquares(z);
    z.real = hn::Div(z.real, squares);
    z.imag = hn::Div(hn::Sub(hn::Zero(Doubles()), z.imag), squares);
    return true;
  }
};

struct ComplexExponential {
  static constexpr Opcode kOpcode = Opcode::kExponential;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    const VectorOfDoubles magnitude = {Vector_exp()(z.real.raw)};
    z.real = hn::Mul(magnitude, VectorOfDoubles{Vector_cos()(z.imag.raw)});
    z.imag = hn::Mul(magnitude, VectorOfDoubles{Vector_sin()(z.imag.raw)});
    return true;
  }
};

struct ComplexLog {
  static constexpr Opcode kOpcode = Opcode::kLog;
  static constexpr bool kIsReal = false;
  // Not of magnitudes so near 1 that few digits are left of the real part.
  static bool Of(Parts& z) {
    const Doubles d;
    const VectorOfDoubles squares = SumOfSquares(z);
    const auto distance = hn::Abs(hn::Sub(squares, hn::Set(d, 1.0)));
    if (!hn::AllFalse(d, hn::Lt(distance, hn::Set(d, 0x1p-20)))) return false;
    z.imag.raw = VectorAtan2()(z.imag.raw, z.real.raw);
    z.real = hn::Mul(hn::Set(d, 0.5), VectorOfDoubles{Vector_log()(squares.raw)});
    return true;
  }
};

// A function of the real part and hyperbolic ones of the imaginary part.
struct CircularParts {
  explicit CircularParts(const Parts& z)
      : sine{Vector_sin()(z.real.raw)},
        cosine{Vector_cos()(z.real.raw)},
        sinh{Vector_sinh()(z.imag.raw)},
        cosh{Vector_cosh()(z.imag.raw)} {}

  VectorOfDoubles sine, cosine, sinh, cosh;
};

struct ComplexSine {
  static constexpr Opcode kOpcode = Opcode::kSine;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    const CircularParts of(z);
    z = {hn::Mul(of.sine, of.cosh), hn::Mul(of.cosine, of.sinh)};
    return true;
  }
};

struct ComplexCosine {
  static constexpr Opcode kOpcode = Opcode::kCosine;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    const CircularParts of(z);
    z = {hn::Mul(of.cosine, of.cosh), hn::Neg(hn::Mul(of.sine, of.sinh))};
    return true;
  }
};

// (sin x cos x + i sinh y cosh y) / (cos^2 x + sinh^2 y), where nothing cancels.
struct ComplexTan {
  static constexpr Opcode kOpcode = Opcode::kTan;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    const CircularParts of(z);
    const VectorOfDoubles divisor = SumOfSquares({of.cosine, of.sinh});
    z = {hn::Div(hn::Mul(of.sine, of.cosine), divisor),
         hn::Div(hn::Mul(of.sinh, of.cosh), divisor)};
    return true;
  }
};

// The same with parts changed over.
struct ComplexTanh {
  static constexpr Opcode kOpcode = Opcode::kTanh;
  static constexpr bool kIsReal = false;
  static bool Of(Parts& z) {
    Parts turned = {z.imag, z.real};
    ComplexTan::Of(turned);
    z = {turned.imag, turned.real};
    return true;
  }
};

template <class Fn>
void ComplexFunction(const void* a, const void*, const void*, void* result, int64_t count) {
  static const TileLoop one_by_one = FunctorLoop<std::complex<float>>(Fn::kOpcode);
  constexpr int64_t kResultParts = Fn::kIsReal ? 1 : 2;
  const Doubles d;
  const hn::Rebind<float, Doubles> narrow;
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  const float* x = As<float>(a);
  float* to = As<float>(result);
  int64_t i = 0;
  for (; i + width <= count; i += width) {
    hn::Vec<decltype(narrow)> real, imag;
    hn::LoadInterleaved2(narrow, x + 2 * i, real, imag);
    Parts z = {hn::PromoteTo(d, real), hn::PromoteTo(d, imag)};
    bool is_done = Fn::Of(z);
    real = hn::DemoteTo(narrow, z.real);
    imag = Fn::kIsReal ? hn::Zero(narrow) : hn::DemoteTo(narrow, z.imag);
    is_done &= hn::AllFalse(narrow, hn::Or(hn::IsNaN(real), hn::IsNaN(imag)));
    if (!is_done) {
      one_by_one(x + 2 * i, nullptr, nullptr, to + kResultParts * i, width);
    } else if constexpr (Fn::kIsReal) {
      hn::StoreU(real, narrow, to + i);
    } else {
      hn::StoreInterleaved2(real, imag, narrow, to + 2 * i);
    }
  }
  one_by_one(x + 2 * i, nullptr, nullptr, to + kResultParts * i, count - i);
}

// Null where there is none.
inline TileLoop ComplexFunctionOf(Opcode opcode) {
  TileLoop loop = nullptr;
  const auto find = [&]<class... Fn>() {
    ((Fn::kOpcode == opcode ? loop = ComplexFunction<Fn> : nullptr), ...);
  };
  find.template operator()<ComplexAbs, ComplexSign, ComplexSqrt, ComplexRsqrt, ComplexExponential,
                           ComplexLog, ComplexSine, ComplexCosine, ComplexTan, ComplexTanh>();
  return loop;
}
#else
inline TileLoop ComplexFunctionOf(Opcode) { return nullptr; }
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_LOOPS_COMPLEX_FUNCTIONS_INL_H_
