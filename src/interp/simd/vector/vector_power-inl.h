// Powers of floats, x^y = 2^(y log2 |x|), as the functor VectorPower of whole vectors; the cases
// beside it (zeros, infinities, NaN, negative x) are those of C's pow, bit for bit. Squares, square
// roots and inverses are those of one operation, cubes of f32 of two. Compiled once for each
// instruction set (the guard toggles).
//
// log2 is that of the mantissa, which is taken from sqrt(1/2) to sqrt(2), and the exponent; with
// s = (m - 1) / (m + 1), log2 m = 2/ln 2 (s + s^3/3 + s^5/5 + ...). The exponent's integer part
// makes a power of two, and the rest, of at most 1/2, goes into a polynomial. The polynomials were
// fitted at Chebyshev's points.
//
// f32 is computed in f64, so that the result is rounded once: at most 0.51 ULP off. f64 takes pairs
// of numbers, the second what the first is off by, for the first terms of the logarithm and for the
// exponent: at most 0.8 ULP off. Both need fused operations; without, the C library is as fast.
#if defined(HLOKIT_INTERP_SIMD_VECTOR_VECTOR_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_POWER_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_POWER_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_VECTOR_POWER_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"

#undef HLO_VECTOR_POWER

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE
#define HLO_VECTOR_POWER

namespace hn = hwy::HWY_NAMESPACE;

// c[0] + c[1] x + ...; even and odd powers side by side, which do not wait for each other.
template <class D, size_t kCount>
HWY_INLINE hn::Vec<D> Polynomial(D d, hn::Vec<D> x, const double (&c)[kCount]) {
  const auto square = hn::Mul(x, x);
  auto last = hn::Set(d, c[kCount - 1]), other = hn::Set(d, c[kCount - 2]);
  for (size_t i = kCount - 2; i-- > 0;) {
    const auto next = hn::MulAdd(last, square, hn::Set(d, c[i]));
    last = other;
    other = next;
  }
  return hn::MulAdd(last, x, other);
}

// A normal number x > 0 as 2^exponent * mantissa.
template <class D>
struct Parts {
  HWY_INLINE Parts(D d, hn::Vec<D> x) {
    const hn::RebindToUnsigned<D> bits;
    constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd, kOne = uint64_t{1023} << 52;
    const auto from_root = hn::Add(hn::BitCast(bits, x), hn::Set(bits, kOne - kRootOfHalf));
    const auto biased = hn::ShiftRight<52>(from_root);
    const auto shift = hn::Sub(hn::ShiftLeft<52>(biased), hn::Set(bits, kOne));
    mantissa = hn::BitCast(d, hn::Sub(hn::BitCast(bits, x), shift));
    // The last bits of a number from 2^52 on are an integer.
    const auto shifted = hn::Or(biased, hn::BitCast(bits, hn::Set(d, 0x1p52)));
    exponent = hn::Sub(hn::BitCast(d, shifted), hn::Set(d, 0x1p52 + 1023));
  }
  hn::Vec<D> mantissa, exponent;
};

// 2^n of integers |n| < 1023.
template <class D>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, hn::Vec<D> n) {
  const auto shifted = hn::Add(n, hn::Set(d, 0x1.8p52 + 1023));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(hn::RebindToUnsigned<D>(), shifted)));
}

// --- f32, in f64

constexpr double kLog2[] = {0x1.71547652b8252p+1, 0x1.ec709dc53a1cap-1, 0x1.2776c295ae0c7p-1,
                            0x1.a61a2cf9f9e38p-2, 0x1.47959c992a71fp-2, 0x1.21ad2d776d25ap-2};
constexpr double kExp2[] = {0x1.ffffffffa6eedp-1,  0x1.62e42fef9cc3cp-1, 0x1.ebfbe0aa3a945p-3,
                            0x1.c6b08da71da60p-5,  0x1.3b29d88d75aa5p-7, 0x1.5d87757c238f2p-10,
                            0x1.446c9e668735ep-13, 0x1.00c0fb54e0f1cp-16};

// x^y of floats x >= 0 that D holds widened, where neither is NaN; anything where y is 0.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<float, D>> PowerOfMagnitude(D d,
                                                          hn::Vec<hn::Rebind<float, D>> narrow_x,
                                                          hn::Vec<hn::Rebind<float, D>> narrow_y) {
  const auto x = hn::PromoteTo(d, narrow_x), y = hn::PromoteTo(d, narrow_y);
  const auto one = hn::Set(d, 1.0), infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  const Parts<D> parts(d, x);
  const auto s = hn::Div(hn::Sub(parts.mantissa, one), hn::Add(parts.mantissa, one));
  auto log2 = hn::MulAdd(s, Polynomial(d, hn::Mul(s, s), kLog2), parts.exponent);
  log2 = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), log2);
  log2 = hn::IfThenElse(hn::Eq(x, infinity), infinity, log2);
  // Beyond these the power is 0 and infinite in f32.
  const auto end = hn::Set(d, 200.0);
  const auto t = hn::Max(hn::Neg(end), hn::Min(end, hn::Mul(y, log2)));
  const auto n = hn::Round(t);
  const auto power = hn::Mul(Polynomial(d, hn::Sub(t, n), kExp2), PowerOfTwo(d, n));
  return hn::DemoteTo(hn::Rebind<float, D>(), power);
}

template <class D>
HWY_INLINE hn::VFromD<D> PowerOfMagnitude(D d, hn::VFromD<D> x, hn::VFromD<D> y, float) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  const auto low = PowerOfMagnitude(wide, hn::LowerHalf(half, x), hn::LowerHalf(half, y));
  const auto high = PowerOfMagnitude(wide, hn::UpperHalf(half, x), hn::UpperHalf(half, y));
  return hn::Combine(d, high, low);
}

// --- f64

template <class D>
struct Pair {
  hn::Vec<D> high, low;
};

// a + b where |a| >= |b| or a is 0.
template <class D>
HWY_INLINE Pair<D> SumOf(D, hn::Vec<D> a, hn::Vec<D> b) {
  const auto high = hn::Add(a, b);
  return {high, hn::Sub(b, hn::Sub(high, a))};
}
template <class D>
HWY_INLINE Pair<D> ProductOf(D, hn::Vec<D> a, hn::Vec<D> b) {
  const auto high = hn::Mul(a, b);
  return {high, hn::MulSub(a, b, high)};
}
template <class D>
HWY_INLINE Pair<D> ProductOf(D d, const Pair<D>& a, const Pair<D>& b) {
  Pair<D> product = ProductOf(d, a.high, b.high);
  product.low = hn::MulAdd(a.high, b.low, hn::MulAdd(a.low, b.high, product.low));
  return product;
}

// 2/ln 2, and a third of it.
constexpr double kLog2First[] = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};
constexpr double kLog2Third[] = {0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55};
constexpr double kLog2Rest[] = {0x1.2776c50ef9bfep-1, 0x1.a61762a7adfa8p-2, 0x1.484b13d79c3b6p-2,
                                0x1.0c9a84bf5081cp-2, 0x1.c68f2f01d5108p-3, 0x1.89fed27be41bep-3,
                                0x1.59e08811ee6b3p-3, 0x1.5a60ae4e0bdd7p-3};
constexpr double kLn2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
// (2^r - 1 - r ln 2) / r^2
constexpr double kExp2Rest[] = {0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c2p-5,  0x1.3b2ab6fba4e78p-7,
                                0x1.5d87fe78a526dp-10, 0x1.430912f86bf4ep-13, 0x1.ffcbfc6712438p-17,
                                0x1.62c022401d5c2p-20, 0x1.b524fad88ed30p-24, 0x1.e4cf1cc5c8b02p-28,
                                0x1.e9d419696e0e9p-32, 0x1.c48f8c2305624p-36};

// Of numbers x > 0.
template <class D>
HWY_INLINE Pair<D> Log2(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0);
  const auto is_small = hn::Lt(x, hn::Set(d, std::numeric_limits<double>::min()));
  Parts<D> parts(d, hn::IfThenElse(is_small, hn::Mul(x, hn::Set(d, 0x1p54)), x));
  parts.exponent = hn::Sub(parts.exponent, hn::IfThenElseZero(is_small, hn::Set(d, 54.0)));
  // Also where m is the larger one, which is below 2.
  const Pair<D> divisor = SumOf(d, one, parts.mantissa);
  const auto inverse = hn::Div(one, divisor.high);
  const auto difference = hn::Sub(parts.mantissa, one);
  Pair<D> s;
  s.high = hn::Mul(difference, inverse);
  const auto rest = hn::NegMulAdd(s.high, divisor.high, difference);
  s.low = hn::Mul(hn::NegMulAdd(s.high, divisor.low, rest), inverse);

  const Pair<D> z = ProductOf(d, s, s);
  const auto later = hn::Mul(z.high, Polynomial(d, z.high, kLog2Rest));
  Pair<D> sum = SumOf(d, hn::Set(d, kLog2Third[0]), later);
  sum.low = hn::Add(sum.low, hn::Set(d, kLog2Third[1]));
  const Pair<D> product = ProductOf(d, z, sum);
  sum = SumOf(d, hn::Set(d, kLog2First[0]), product.high);
  sum.low = hn::Add(sum.low, hn::Add(product.low, hn::Set(d, kLog2First[1])));
  const Pair<D> fraction = ProductOf(d, s, sum);
  sum = SumOf(d, parts.exponent, fraction.high);
  sum.low = hn::Add(sum.low, fraction.low);
  return sum;
}

// 2^t, |t.high| <= 1100.
template <class D>
HWY_INLINE hn::Vec<D> Exp2(D d, const Pair<D>& t) {
  const auto n = hn::Round(t.high);
  const Pair<D> r = SumOf(d, hn::Sub(t.high, n), t.low);
  const Pair<D> first = ProductOf(d, r.high, hn::Set(d, kLn2[0]));
  auto low = hn::MulAdd(r.high, hn::Set(d, kLn2[1]), first.low);
  low = hn::MulAdd(r.low, hn::Set(d, kLn2[0]), low);
  low = hn::MulAdd(hn::Mul(r.high, r.high), Polynomial(d, r.high, kExp2Rest), low);
  const Pair<D> sum = SumOf(d, hn::Set(d, 1.0), first.high);
  const auto power = hn::Add(sum.high, hn::Add(sum.low, low));
  // Twice, as 2^n may be no normal number.
  const auto half = hn::Round(hn::Mul(n, hn::Set(d, 0.5)));
  return hn::Mul(hn::Mul(power, PowerOfTwo(d, half)), PowerOfTwo(d, hn::Sub(n, half)));
}

// x^y of x >= 0, where neither is NaN; anything where y is 0.
template <class D>
HWY_INLINE hn::Vec<D> PowerOfMagnitude(D d, hn::Vec<D> x, hn::Vec<D> y, double) {
  const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  Pair<D> log2 = Log2(d, x);
  log2.high = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), log2.high);
  log2.high = hn::IfThenElse(hn::Eq(x, infinity), infinity, log2.high);
  // From these exponents on powers of all x are 0, 1 or infinite.
  const auto last = hn::Set(d, 0x1p65);
  y = hn::IfThenElse(hn::Gt(hn::Abs(y), last), hn::CopySign(last, y), y);
  Pair<D> t = ProductOf(d, y, log2.high);
  t.low = hn::MulAdd(y, log2.low, t.low);
  const auto end = hn::Set(d, 1100.0);
  t.low = hn::IfThenElseZero(hn::Le(hn::Abs(t.high), end), t.low);
  t.high = hn::Max(hn::Neg(end), hn::Min(end, t.high));
  return Exp2(d, t);
}

// --- Both

// Powers that are one operation: x^2, x^(1/2), x^-1.
template <class D>
HWY_INLINE hn::VFromD<D> ShortPower(D d, hn::VFromD<D> x, hn::MFromD<D> is_square,
                                    hn::MFromD<D> is_root) {
  using T = hn::TFromD<D>;
  const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  // Unlike sqrt, of -0 and -infinity 0 and infinity.
  auto root = hn::Add(hn::Sqrt(x), hn::Zero(d));
  root = hn::IfThenElse(hn::Eq(x, hn::Neg(infinity)), infinity, root);
  const auto inverse = hn::Div(hn::Set(d, T(1)), x);
  return hn::IfThenElse(is_square, hn::Mul(x, x), hn::IfThenElse(is_root, root, inverse));
}

template <class D>
HWY_INLINE hn::VFromD<D> LongPower(D d, hn::VFromD<D> x, hn::VFromD<D> y) {
  using T = hn::TFromD<D>;
  const auto zero = hn::Zero(d), one = hn::Set(d, T(1)), half = hn::Set(d, T(0.5));
  const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  const auto magnitude = hn::Abs(x);
  // Infinite exponents as the largest, of which magnitude 1 has the power 1.
  const auto last = hn::Set(d, std::numeric_limits<T>::max());
  const auto exponent = hn::IfThenElse(hn::Gt(hn::Abs(y), last), hn::CopySign(last, y), y);
  auto power = PowerOfMagnitude(d, magnitude, exponent, T());

  const auto is_integer = hn::Eq(hn::Round(exponent), exponent);
  const auto half_exponent = hn::Mul(exponent, half);
  const auto is_even = hn::Eq(hn::Round(half_exponent), half_exponent);
  const auto sign = hn::And(x, hn::SignBit(d));
  power = hn::Or(power, hn::IfThenElseZero(hn::AndNot(is_even, is_integer), sign));
  const auto is_negative = hn::And(hn::Lt(x, zero), hn::Lt(magnitude, infinity));
  const auto nan = hn::Set(d, std::numeric_limits<T>::quiet_NaN());
  auto is_nan = hn::AndNot(is_integer, is_negative);
  is_nan = hn::Or(is_nan, hn::Or(hn::IsNaN(x), hn::IsNaN(y)));
  power = hn::IfThenElse(is_nan, nan, power);
  return hn::IfThenElse(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), one, power);
}

// x^3, which GELU by tanh has. Only of f32: in f64 it would be rounded twice.
template <class D>
HWY_INLINE hn::VFromD<D> Cube(D d, hn::VFromD<D> x) {
  const hn::Repartition<double, D> wide;
  const hn::Rebind<float, decltype(wide)> part;
  const auto cube = [&](auto y) HWY_ATTR {
    const auto number = hn::PromoteTo(wide, y);
    return hn::DemoteTo(part, hn::Mul(hn::Mul(number, number), number));
  };
  return hn::Combine(d, cube(hn::UpperHalf(part, x)), cube(hn::LowerHalf(part, x)));
}

// Not inlined: it is long, and where it is called a call more or less does not count.
template <class D>
HWY_NOINLINE hn::VFromD<D> PowerOf(D d, hn::VFromD<D> x, hn::VFromD<D> y) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == sizeof(float) && hn::MaxLanes(D()) > 1) {
    const auto is_cube = hn::Eq(y, hn::Set(d, T(3)));
    if (hn::AllTrue(d, is_cube)) return Cube(d, x);
    if (!hn::AllFalse(d, is_cube)) {
      const auto others = hn::IfThenElse(is_cube, hn::Set(d, T(1)), y);
      return hn::IfThenElse(is_cube, Cube(d, x), PowerOf(d, x, others));
    }
  }
  const auto is_square = hn::Eq(y, hn::Set(d, T(2)));
  const auto is_root = hn::Eq(y, hn::Set(d, T(0.5)));
  const auto is_short = hn::Or(hn::Or(is_square, is_root), hn::Eq(y, hn::Set(d, T(-1))));
  if (HWY_LIKELY(hn::AllFalse(d, is_short))) return LongPower(d, x, y);
  const auto power = ShortPower(d, x, is_square, is_root);
  return hn::AllTrue(d, is_short) ? power : hn::IfThenElse(is_short, power, LongPower(d, x, y));
}

struct VectorPower {
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D d, hn::VFromD<D> x, hn::VFromD<D> y) const {
    return PowerOf(d, x, y);
  }
};

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_VECTOR_POWER_INL_H_
