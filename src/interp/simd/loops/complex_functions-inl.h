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

// As the C library has it for f32.
struct ComplexAbs {
  static constexpr Opcode kOpcode = Opcode::kAbs;
  static constexpr bool kIsReal = true;
  static bool Of(Parts& z) {
    z.real = hn::Sqrt(SumOfSquares(z));
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
  switch (opcode) {
    case Opcode::kAbs:
      return ComplexFunction<ComplexAbs>;
    case Opcode::kExponential:
      return ComplexFunction<ComplexExponential>;
    case Opcode::kLog:
      return ComplexFunction<ComplexLog>;
    default:
      return nullptr;
  }
}
#else
inline TileLoop ComplexFunctionOf(Opcode) { return nullptr; }
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_LOOPS_COMPLEX_FUNCTIONS_INL_H_
