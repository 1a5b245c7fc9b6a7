// Links of comparisons, and of what chooses by them. In registers true is a lane of ones, and false
// one of zeros; in memory each is a byte, 1 or 0. Compiled once for each instruction set (the guard
// toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_MASKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_MASKS_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_MASKS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_MASKS_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"
#include "interp/simd/chain/chain_links-inl.h"
#include "interp/simd/vector/wide_bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
// --- Comparisons

#define HLO_COMPARISON(Name, expression)                        \
  struct Name {                                                 \
    template <class Vector>                                     \
    Vector operator()(Vector a, Vector b) const {               \
      return hn::VecFromMask(hn::DFromV<Vector>(), expression); \
    }                                                           \
  };
HLO_COMPARISON(Equal, hn::Eq(a, b))
HLO_COMPARISON(NotEqual, hn::Not(hn::Eq(a, b)))  // of floats: true beside NaN
HLO_COMPARISON(Less, hn::Lt(a, b))
HLO_COMPARISON(LessOrEqual, hn::Le(a, b))          // of floats: false beside NaN
HLO_COMPARISON(NotGreater, hn::Not(hn::Lt(b, a)))  // of integers
#undef HLO_COMPARISON

inline LinkOperands TurnedRound(LinkOperands operands) {
  switch (operands) {
    case LinkOperands::kRegistersMemory:
      return LinkOperands::kMemoryRegisters;
    case LinkOperands::kMemoryRegisters:
      return LinkOperands::kRegistersMemory;
    case LinkOperands::kRegistersOne:
      return LinkOperands::kOneRegisters;
    case LinkOperands::kOneRegisters:
      return LinkOperands::kRegistersOne;
    case LinkOperands::kRegistersTwice:
      break;
  }
  return operands;
}

template <typename T>
LinkFunction FloatComparison(ComparisonDirection direction, LinkOperands operands) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return Binary<T, Equal>(operands);
    case ComparisonDirection::kNe:
      return Binary<T, NotEqual>(operands);
    case ComparisonDirection::kLt:
      return Binary<T, Less>(operands);
    case ComparisonDirection::kLe:
      return Binary<T, LessOrEqual>(operands);
    case ComparisonDirection::kGt:
      return Binary<T, Less>(TurnedRound(operands));
    case ComparisonDirection::kGe:
      return Binary<T, LessOrEqual>(TurnedRound(operands));
  }
  return nullptr;
}

template <typename T, typename Integer>
LinkFunction IntegerComparison(ComparisonDirection direction, LinkOperands operands) {
  using Signed = std::make_signed_t<Integer>;
  switch (direction) {
    case ComparisonDirection::kEq:
      return Binary<T, OnBits<Signed, Equal>>(operands);
    case ComparisonDirection::kNe:
      return Binary<T, OnBits<Signed, NotEqual>>(operands);
    case ComparisonDirection::kLt:
      return Binary<T, OnBits<Integer, Less>>(operands);
    case ComparisonDirection::kLe:
      return Binary<T, OnBits<Integer, NotGreater>>(operands);
    case ComparisonDirection::kGt:
      return Binary<T, OnBits<Integer, Less>>(TurnedRound(operands));
    case ComparisonDirection::kGe:
      return Binary<T, OnBits<Integer, NotGreater>>(TurnedRound(operands));
  }
  return nullptr;
}

template <typename T>
LinkFunction ComparisonLink(ComparisonDirection direction, ElementType type,
                            LinkOperands operands) {
  using Signed = hn::TFromD<hn::RebindToSigned<Lanes<T>>>;
  using Unsigned = hn::TFromD<Words<T>>;
  if (type == kElementTypeOf<T>) return FloatComparison<T>(direction, operands);
  if (type == kElementTypeOf<Signed>) return IntegerComparison<T, Signed>(direction, operands);
  if (type == kElementTypeOf<Unsigned>) return IntegerComparison<T, Unsigned>(direction, operands);
  return nullptr;
}

// --- Choices

template <typename T>
struct ElementsOfMemory : Memory<T> {
  using Memory<T>::Memory;
  V<T> At(int64_t i) const { return hn::LoadU(Lanes<T>(), this->Vector(i)); }
};
template <typename T>
struct OneForAll : One<T> {
  using One<T>::One;
  V<T> At(int64_t) const { return this->vector; }
};

// Whether each is chosen is in registers; the choice of this link and the next one are elsewhere.
template <typename T, class OnTrue, class OnFalse>
struct SelectByRegisters {
  using Lane = T;
  static constexpr int kLinks = 2;
  SelectByRegisters(const ChainLink& link, int64_t first)
      : on_true(link, first), on_false((&link)[1], first) {}
  V<T> operator()(V<T> x, int64_t i) const {
    return hn::IfVecThenElse(x, on_true.At(i), on_false.At(i));
  }
  OnTrue on_true;
  OnFalse on_false;
};
// Registers are what is chosen where the memory of this link is true, or false, else that of the
// next one.
template <typename T, bool kOnTrue, class Other>
struct SelectRegisters {
  using Lane = T;
  static constexpr int kLinks = 2;
  SelectRegisters(const ChainLink& link, int64_t first)
      : mask(link, first), other((&link)[1], first) {}
  V<T> operator()(V<T> x, int64_t i) const {
    return kOnTrue ? hn::IfVecThenElse(mask.At(i), x, other.At(i))
                   : hn::IfVecThenElse(mask.At(i), other.At(i), x);
  }
  ElementsOfMemory<T> mask;
  Other other;
};

template <typename T>
LinkFunction SelectLink(int in_registers, bool is_first_one, bool is_second_one) {
  using Many = ElementsOfMemory<T>;
  using One = OneForAll<T>;
  if (in_registers == 0) {
    if (is_first_one) {
      return is_second_one ? LinkOf<SelectByRegisters<T, One, One>>()
                           : LinkOf<SelectByRegisters<T, One, Many>>();
    }
    return is_second_one ? LinkOf<SelectByRegisters<T, Many, One>>()
                         : LinkOf<SelectByRegisters<T, Many, Many>>();
  }
  if (in_registers == 1) {
    return is_second_one ? LinkOf<SelectRegisters<T, true, One>>()
                         : LinkOf<SelectRegisters<T, true, Many>>();
  }
  return is_second_one ? LinkOf<SelectRegisters<T, false, One>>()
                       : LinkOf<SelectRegisters<T, false, Many>>();
}

// --- From memory and to it

template <typename T>
using Bytes = hn::Rebind<uint8_t, Lanes<T>>;

template <typename T>
HWY_INLINE V<T> LanesOf(hn::Vec<Words<T>> numbers) {
  return hn::BitCast(Lanes<T>(), hn::Sub(hn::Zero(Words<T>()), numbers));
}

template <typename T>
struct LoadMask : Memory<T, const uint8_t> {
  using Memory<T, const uint8_t>::Memory;
  V<T> operator()(V<T>, int64_t i) const {
    return LanesOf<T>(WidenedBytes(Words<T>(), this->Vector(i)));
  }
};
template <typename T>
struct LoadOneMask {
  using Lane = T;
  LoadOneMask(const ChainLink& link, int64_t)
      : vector(LanesOf<T>(hn::Set(Words<T>(), static_cast<uint8_t>(*link.at)))) {}
  V<T> operator()(V<T>, int64_t) const { return vector; }
  V<T> vector;
};
template <typename T>
struct StoreMask : Memory<T, uint8_t> {
  using Memory<T, uint8_t>::Memory;
  V<T> operator()(V<T> x, int64_t i) const {
    const Words<T> words;
    const auto numbers = hn::And(hn::BitCast(words, x), hn::Set(words, 1));
    hn::StoreU(hn::TruncateTo(Bytes<T>(), numbers), Bytes<T>(), this->Vector(i));
    return x;
  }
};
template <typename T>
LinkFunction LoadOneMaskLink() {
  return LinkOf<LoadOneMask<T>>();
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_MASKS_INL_H_
