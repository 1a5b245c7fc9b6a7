// Links that divide. By one number for all they multiply, which processors do several times as
// fast. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_DIVISION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_DIVISION_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_DIVISION_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_DIVISION_INL_H_
#endif

#include <cmath>

#include "hwy/highway.h"
#include "interp/simd/chain/chain_links-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
struct Divide {
  template <class Vector>
  Vector operator()(Vector a, Vector b) const {
    return hn::Div(a, b);
  }
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
// Whose inverse has no extreme exponent.
HWY_INLINE bool IsUsualDivisor(float d) {
  return std::fabs(d) > 0x1p-40f && std::fabs(d) < 0x1p40f;
}
HWY_INLINE bool IsUsualDivisor(double d) {
  return std::fabs(d) > 0x1p-256 && std::fabs(d) < 0x1p256;
}

// x / d as x * (1 / d), where 1 / d is a sum of two numbers, so that the product is a neighbour of
// the quotient; corrected by what it is off, which fma finds exactly, it is the correctly rounded
// one (Markstein 1990). That holds as long as nothing in between leaves the range of normal
// numbers: for x whose exponents are in the middle half of all, and usual divisors. Others, zeros
// among them, are divided.
template <typename T>
class DivideByOne : public One<T> {
 public:
  DivideByOne(const ChainLink& link, int64_t first)
      : One<T>(link, first),
        inverse_(hn::Div(hn::Set(Lanes<T>(), T(1)), vector)),
        rest_(hn::Mul(hn::NegMulAdd(inverse_, vector, hn::Set(Lanes<T>(), T(1))), inverse_)) {
    const bool is_usual = IsUsualDivisor(*reinterpret_cast<const T*>(link.at));
    unusual_ = hn::Set(Words<T>(), is_usual ? Bits(0) : kUnusual);
  }
  HWY_INLINE void operator()(V<T> (&x)[4], int64_t) const {
    hn::Vec<Words<T>> unusual = unusual_;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) unusual = hn::Or(unusual, AboveLeast(x[i]));
    unusual = hn::And(unusual, hn::Set(Words<T>(), kUnusual));
    if (HWY_UNLIKELY(!hn::AllTrue(Words<T>(), hn::Eq(unusual, hn::Zero(Words<T>()))))) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = hn::Div(x[i], vector);
      return;
    }
    V<T> quotient[4];
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
  using typename One<T>::Bits;
  using One<T>::vector;
  static constexpr int kExponentBits = sizeof(T) == 4 ? 8 : 11;
  static constexpr int kMantissaBits = 8 * sizeof(T) - 1 - kExponentBits;
  static constexpr Bits kLeast = ((Bits(1) << (kExponentBits - 2)) - 1) << kMantissaBits;
  // Above kLeast numbers with half of all exponents have neither of these bits, those below it
  // both.
  static constexpr Bits kUnusual = Bits(3) << (8 * sizeof(T) - 2);

  static HWY_INLINE hn::Vec<Words<T>> AboveLeast(V<T> x) {
    return hn::Sub(hn::BitCast(Words<T>(), hn::Abs(x)), hn::Set(Words<T>(), kLeast));
  }
  V<T> inverse_, rest_;
  hn::Vec<Words<T>> unusual_;
};

// Of bf16, where the quotient is rounded to that next, x * (1 / d) will do. It is off by less than
// 2^-22 of x / d, which is never that close to a number m halfway between two of bf16: m has nine
// bits, the last of them set, so m d has an odd factor of nine bits at least, and x has eight bits.
// They differ by one unit or more of integers below 2^17. Where x is tiny, but no zero, the
// quotient may have less bits: such are divided, and whatever is by unusual divisors.
class DivideNarrowByOne : public One<float> {
 public:
  DivideNarrowByOne(const ChainLink& link, int64_t first)
      : One(link, first), inverse_(hn::Div(hn::Set(Lanes<float>(), 1.0f), vector)) {
    is_usual_ = IsUsualDivisor(*reinterpret_cast<const float*>(link.at));
  }
  HWY_INLINE void operator()(V<float> (&x)[4], int64_t) const {
    hn::Vec<Words<float>> least = BelowMagnitude(x[0]);
#pragma GCC unroll 4
    for (int i = 1; i < 4; ++i) least = hn::Min(least, BelowMagnitude(x[i]));
    const auto are_usual = hn::Eq(hn::Max(least, hn::Set(Words<float>(), kLeast)), least);
    if (HWY_UNLIKELY(!is_usual_ || !hn::AllTrue(Words<float>(), are_usual))) {
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
  static hn::Vec<Words<float>> BelowMagnitude(V<float> x) {
    return hn::Sub(hn::BitCast(Words<float>(), hn::Abs(x)), hn::Set(Words<float>(), 1));
  }
  V<float> inverse_;
  bool is_usual_;
};
// Of eight f32 a quotient takes no longer than this.
template <typename T>
constexpr bool kMultiplies = HWY_TARGET == HWY_AVX3 || sizeof(T) == 8;
template <typename T>
LinkFunction DivideLink(LinkOperands operands) {
  if constexpr (kMultiplies<T>) {
    if (operands == LinkOperands::kRegistersOne) return LinkOf<DivideByOne<T>>();
  }
  return Binary<T, Divide>(operands);
}
inline LinkFunction DivideNarrowLink(LinkOperands operands) {
  return operands == LinkOperands::kRegistersOne ? LinkOf<DivideNarrowByOne>()
                                                 : Binary<float, Divide>(operands);
}
#else
template <typename T>
LinkFunction DivideLink(LinkOperands operands) {
  return Binary<T, Divide>(operands);
}
inline LinkFunction DivideNarrowLink(LinkOperands operands) { return DivideLink<float>(operands); }
#endif
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_DIVISION_INL_H_
