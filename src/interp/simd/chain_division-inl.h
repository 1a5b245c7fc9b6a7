// Links that divide. By one number for all they multiply, which processors do several times as
// fast. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_DIVISION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_DIVISION_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_DIVISION_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_DIVISION_INL_H_
#endif

#include <cmath>

#include "hwy/highway.h"
#include "interp/simd/chain_links-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
struct Divide {
  V operator()(V a, V b) const { return hn::Div(a, b); }
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
// Whose inverse has no extreme exponent.
HWY_INLINE bool IsUsualDivisor(float d) {
  return std::fabs(d) > 0x1p-40f && std::fabs(d) < 0x1p40f;
}

// x / d as x * (1 / d), where 1 / d is a sum of two numbers, so that the product is a neighbour of
// the quotient; corrected by what it is off, which fma finds exactly, it is the correctly rounded
// one (Markstein 1990). That holds as long as nothing in between leaves the range of normal
// numbers: for magnitudes within 2^80 of 1, by divisors within 2^40. Others, zeros among them, are
// divided.
class DivideByOne : One {
 public:
  DivideByOne(const ChainLink& link, int64_t first)
      : One(link, first),
        inverse_(hn::Div(hn::Set(Floats(), 1.0f), vector)),
        rest_(hn::Mul(hn::NegMulAdd(inverse_, vector, hn::Set(Floats(), 1.0f)), inverse_)) {
    const bool is_usual = IsUsualDivisor(*reinterpret_cast<const float*>(link.at));
    largest_ = hn::Set(Integers(), is_usual ? kLargest : 0);
  }
  HWY_INLINE void operator()(V (&x)[4], int64_t) const {
    hn::Vec<Integers> least = Magnitude(x[0]), most = least;
#pragma GCC unroll 4
    for (int i = 1; i < 4; ++i) {
      const hn::Vec<Integers> magnitude = Magnitude(x[i]);
      least = hn::Min(least, magnitude);
      most = hn::Max(most, magnitude);
    }
    const auto are_usual =
        hn::And(hn::Gt(least, hn::Set(Integers(), kLeast)), hn::Lt(most, largest_));
    if (HWY_UNLIKELY(!hn::AllTrue(Integers(), are_usual))) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = hn::Div(x[i], vector);
      return;
    }
    V quotient[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) quotient[i] = hn::Mul(x[i], rest_);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) quotient[i] = hn::MulAdd(x[i], inverse_, quotient[i]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = hn::NegMulAdd(quotient[i], vector, x[i]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = hn::MulAdd(x[i], inverse_, quotient[i]);
  }

 private:
  static constexpr int32_t kLeast = (127 - 80) << 23, kLargest = (127 + 80) << 23;  // as bits
  static hn::Vec<Integers> Magnitude(V x) { return hn::BitCast(Integers(), hn::Abs(x)); }
  V inverse_, rest_;
  hn::Vec<Integers> largest_;
};

// Of bf16, where the quotient is rounded to that next, x * (1 / d) will do. It is off by less than
// 2^-22 of x / d, which is never that close to a number m halfway between two of bf16: m has nine
// bits, the last of them set, so m d has an odd factor of nine bits at least, and x has eight bits.
// They differ by one unit or more of integers below 2^17. Where x is tiny, but no zero, the
// quotient may have less bits: such are divided, and whatever is by unusual divisors.
class DivideNarrowByOne : One {
 public:
  DivideNarrowByOne(const ChainLink& link, int64_t first)
      : One(link, first), inverse_(hn::Div(hn::Set(Floats(), 1.0f), vector)) {
    is_usual_ = IsUsualDivisor(*reinterpret_cast<const float*>(link.at));
  }
  HWY_INLINE void operator()(V (&x)[4], int64_t) const {
    hn::Vec<Words> least = BelowMagnitude(x[0]);
#pragma GCC unroll 4
    for (int i = 1; i < 4; ++i) least = hn::Min(least, BelowMagnitude(x[i]));
    const auto are_usual = hn::Eq(hn::Max(least, hn::Set(Words(), kLeast)), least);
    if (HWY_UNLIKELY(!is_usual_ || !hn::AllTrue(Words(), are_usual))) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = hn::Div(x[i], vector);
      return;
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = hn::Mul(x[i], inverse_);
  }

 private:
  static constexpr uint32_t kLeast = (127 - 80) << 23;  // as bits
  // The bits of the magnitude less one: zero is the largest.
  static hn::Vec<Words> BelowMagnitude(V x) {
    return hn::Sub(BitsOf(hn::Abs(x)), hn::Set(Words(), 1));
  }
  V inverse_;
  bool is_usual_;
};
LinkFunction DivideLink(LinkOperands operands) {
  return operands == LinkOperands::kRegistersOne ? LinkOf<DivideByOne>() : Binary<Divide>(operands);
}
LinkFunction DivideNarrowLink(LinkOperands operands) {
  return operands == LinkOperands::kRegistersOne ? LinkOf<DivideNarrowByOne>()
                                                 : Binary<Divide>(operands);
}
#else
LinkFunction DivideLink(LinkOperands operands) { return Binary<Divide>(operands); }
LinkFunction DivideNarrowLink(LinkOperands operands) { return DivideLink(operands); }
#endif
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_DIVISION_INL_H_
