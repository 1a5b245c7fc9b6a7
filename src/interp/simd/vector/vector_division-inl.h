// Quotients and remainders of integers, and remainders of floats, by division of floats: bit for
// bit those of DivideFn and RemainderFn. Compiled once for each instruction set (the guard
// toggles).
//
// A float of more bits than a and b have gives the integer part of a / b: where that is no integer,
// it is at least 1 / |b| below the next one, which is more than what it is rounded by.
#if defined(HLOKIT_INTERP_SIMD_VECTOR_VECTOR_DIVISION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_DIVISION_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_VECTOR_DIVISION_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_VECTOR_DIVISION_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "interp/kernel/scalar_ops_binary.h"
#include "interp/kernel/scalar_ops_unary.h"

#undef HLO_VECTOR_DIVISION
#undef HLO_VECTOR_REMAINDER

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#define HLO_VECTOR_DIVISION

namespace hn = hwy::HWY_NAMESPACE;

// --- Integers of up to 32 bits

// As numbers with sign of 32 bits, or, of u32, bits.
template <class D>
using WordsOf = hn::Rebind<int32_t, D>;
template <class D>
using QuotientsOf = hn::Rebind<std::conditional_t<sizeof(hn::TFromD<D>) == 4, double, float>, D>;

template <class D>
HWY_INLINE hn::VFromD<WordsOf<D>> ToWords(D, hn::VFromD<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::BitCast(WordsOf<D>(), x);
  } else {
    return hn::PromoteTo(WordsOf<D>(), x);
  }
}
template <class D>
HWY_INLINE hn::VFromD<D> FromWords(D d, hn::VFromD<WordsOf<D>> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::BitCast(d, x);
  } else {
    const hn::Rebind<uint32_t, D> bits;
    return hn::BitCast(d, hn::TruncateTo(hn::RebindToUnsigned<D>(), hn::BitCast(bits, x)));
  }
}

// Vectors have conversions between floats and numbers with sign.
template <class D>
HWY_INLINE hn::VFromD<QuotientsOf<D>> ToFloats(D, hn::VFromD<WordsOf<D>> x) {
  const QuotientsOf<D> floats;
  if constexpr (std::is_same_v<hn::TFromD<D>, uint32_t>) {
    const auto from_middle = hn::Xor(x, hn::Set(WordsOf<D>(), INT32_MIN));
    return hn::Add(hn::PromoteTo(floats, from_middle), hn::Set(floats, 0x1p31));
  } else if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::PromoteTo(floats, x);
  } else {
    return hn::ConvertTo(floats, x);
  }
}
template <class D>
HWY_INLINE hn::VFromD<WordsOf<D>> IntegerPart(D, hn::VFromD<QuotientsOf<D>> x) {
  const WordsOf<D> words;
  if constexpr (std::is_same_v<hn::TFromD<D>, uint32_t>) {
    const auto from_middle = hn::Sub(hn::Floor(x), hn::Set(QuotientsOf<D>(), 0x1p31));
    return hn::Xor(hn::DemoteTo(words, from_middle), hn::Set(words, INT32_MIN));
  } else if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::DemoteTo(words, x);
  } else {
    return hn::ConvertTo(words, x);
  }
}

// By a divisor for which there is a quotient: 1 stands for others.
template <class D>
struct NarrowDivision {
  HWY_INLINE NarrowDivision(D d, hn::VFromD<D> x, hn::VFromD<D> y)
      : dividend(ToWords(d, x)), divisor(ToWords(d, y)) {
    const auto one = hn::Set(words, 1);
    is_by_zero = hn::Eq(divisor, hn::Zero(words));
    const auto minus_one = hn::Set(words, hwy::IsSigned<hn::TFromD<D>>() ? -1 : 0);
    is_negated = hn::AndNot(is_by_zero, hn::Eq(divisor, minus_one));
    divisor = hn::IfThenElse(hn::Or(is_by_zero, is_negated), one, divisor);
    quotient = IntegerPart(d, hn::Div(ToFloats(d, dividend), ToFloats(d, divisor)));
  }

  static constexpr WordsOf<D> words = {};
  hn::VFromD<WordsOf<D>> dividend, divisor, quotient;
  hn::Mask<WordsOf<D>> is_by_zero, is_negated;
};

struct NarrowDivide {
  using OfOne = DivideFn;
  // As many elements as there are quotients in a vector.
  template <typename T>
  using Tag = hn::Rebind<T, hn::ScalableTag<std::conditional_t<sizeof(T) == 4, double, float>>>;
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D d, hn::VFromD<D> x, hn::VFromD<D> y) const {
    const NarrowDivision<D> division(d, x, y);
    const auto quotient =
        hn::IfThenElse(division.is_negated, hn::Neg(division.dividend), division.quotient);
    return FromWords(d, hn::IfThenElse(division.is_by_zero, hn::Set(division.words, -1), quotient));
  }
};

struct NarrowRemainder {
  using OfOne = RemainderFn;
  template <typename T>
  using Tag = NarrowDivide::Tag<T>;
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D d, hn::VFromD<D> x, hn::VFromD<D> y) const {
    const NarrowDivision<D> division(d, x, y);
    const auto product = hn::Mul(division.quotient, division.divisor);
    const auto rest = hn::Sub(division.dividend, product);
    return FromWords(d, hn::IfThenElse(division.is_by_zero, division.dividend, rest));
  }
};

// One by one.
template <class Fn, class D>
HWY_NOINLINE hn::VFromD<D> EachLane(D d, hn::VFromD<D> x, hn::VFromD<D> y) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  HWY_ALIGN hn::TFromD<D> a[kLanes], b[kLanes];
  hn::Store(x, d, a);
  hn::Store(y, d, b);
  for (size_t i = 0; i < kLanes; ++i) a[i] = Fn()(a[i], b[i]);
  return hn::Load(d, a);
}

// --- Integers of 64 bits, where they are short

// Those with sign from -2^50 to 2^50, others up to 2^51.
template <class D>
HWY_INLINE bool AreShort(D, hn::VFromD<D> x, hn::VFromD<D> y) {
  const hn::RebindToUnsigned<D> bits;
  const auto from_least = [&](hn::VFromD<D> v) {
    constexpr uint64_t kLeast = hwy::IsSigned<hn::TFromD<D>>() ? uint64_t{1} << 50 : 0;
    return hn::Add(hn::BitCast(bits, v), hn::Set(bits, kLeast));
  };
  const auto upper = hn::ShiftRight<51>(hn::Or(from_least(x), from_least(y)));
  return hn::AllTrue(bits, hn::Eq(upper, hn::Zero(bits)));
}

// The last bits of this and numbers near it are integers.
constexpr double kOrigin = 0x1.8p52;

template <class D, class F = hn::Rebind<double, D>>
HWY_INLINE hn::VFromD<F> ToFloats(D d, hn::VFromD<D> x) {
  const F floats;
  const auto origin = hn::Set(floats, kOrigin);
  return hn::Sub(hn::BitCast(floats, hn::Add(x, hn::BitCast(d, origin))), origin);
}
template <class D, class F = hn::Rebind<double, D>>
HWY_INLINE hn::VFromD<D> ToIntegers(D d, hn::VFromD<F> x) {
  const auto origin = hn::Set(F(), kOrigin);
  return hn::Sub(hn::BitCast(d, hn::Add(x, origin)), hn::BitCast(d, origin));
}

struct WideDivide {
  using OfOne = DivideFn;
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D d, hn::VFromD<D> x, hn::VFromD<D> y) const {
    if (HWY_UNLIKELY(!AreShort(d, x, y))) return EachLane<DivideFn>(d, x, y);
    const auto one = hn::Set(d, 1);
    const auto is_zero = hn::Eq(y, hn::Zero(d));
    const auto divisor = ToFloats(d, hn::IfThenElse(is_zero, one, y));
    const auto quotient = hn::Trunc(hn::Div(ToFloats(d, x), divisor));
    return hn::IfThenElse(is_zero, hn::Sub(hn::Zero(d), one), ToIntegers(d, quotient));
  }
};

struct WideRemainder {
  using OfOne = RemainderFn;
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D d, hn::VFromD<D> x, hn::VFromD<D> y) const {
    if (HWY_UNLIKELY(!AreShort(d, x, y))) return EachLane<RemainderFn>(d, x, y);
    const auto is_zero = hn::Eq(y, hn::Zero(d));
    const auto dividend = ToFloats(d, x);
    const auto divisor = ToFloats(d, hn::IfThenElse(is_zero, hn::Set(d, 1), y));
    // All three are integers below 2^53.
    const auto product = hn::Mul(hn::Trunc(hn::Div(dividend, divisor)), divisor);
    return hn::IfThenElse(is_zero, x, ToIntegers(d, hn::Sub(dividend, product)));
  }
};

// --- Floats

#if HWY_NATIVE_FMA
#define HLO_VECTOR_REMAINDER
// Quotients below 2^22, or 2^51: rounded they are the integer part or the next number, so what is
// left is at most |y| in magnitude and a multiple of the last place of x or y, a float.
struct FloatRemainder {
  using OfOne = RemainderFn;
  template <class D>
  HWY_INLINE hn::VFromD<D> operator()(D d, hn::VFromD<D> x, hn::VFromD<D> y) const {
    using T = hn::TFromD<D>;
    const auto dividend = hn::Abs(x), divisor = hn::Abs(y);
    constexpr T kEnd = sizeof(T) == 4 ? T(0x1p22) : T(0x1p51);
    const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    const auto is_usual =
        hn::And(hn::Lt(dividend, hn::Mul(divisor, hn::Set(d, kEnd))), hn::Lt(divisor, infinity));
    if (HWY_UNLIKELY(!hn::AllTrue(d, is_usual))) return EachLane<RemainderFn>(d, x, y);
    const auto quotient = hn::Trunc(hn::Div(dividend, divisor));
    const auto rest = hn::NegMulAdd(quotient, divisor, dividend);
    const auto is_below = hn::Lt(rest, hn::Zero(d));
    return hn::CopySign(hn::Add(rest, hn::IfThenElseZero(is_below, divisor)), x);
  }
};
#endif

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_VECTOR_DIVISION_INL_H_
