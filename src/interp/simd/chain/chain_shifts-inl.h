// Links of shifts, and of what is made of them: a rotation, which HLO writes as two shifts and an
// `or`, and a round of Threefry, an addition and a rotation that are joined by `xor`. Compiled once
// for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_SHIFTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_SHIFTS_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_SHIFTS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_SHIFTS_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/chain/chain_links-inl.h"

#undef HLO_CHAIN_SHIFTS

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// Vectors whose lanes are each shifted by its own amount: as HLO has it, by no less than their bits
// they become zeros, or signs. Older ones have no such instruction.
#if defined(HLO_CHAIN_LINKS) && defined(__x86_64__) && HWY_TARGET <= HWY_AVX2
#define HLO_CHAIN_SHIFTS

struct ShiftLeft {
  template <class Vector>
  Vector operator()(Vector x, Vector amount) const {
    return hn::Shl(x, amount);
  }
};
// Of numbers with sign, which fill with it, and of others.
struct ShiftRight {
  template <class Vector>
  Vector operator()(Vector x, Vector amount) const {
    return hn::Shr(x, amount);
  }
};

// Both shifts of the same number and their `or`, by an amount of this link and one of the next.
// That is a rotation where they are as many as there are bits.
template <typename T>
class JoinedShifts {
 public:
  using Lane = T;
  static constexpr int kLinks = 2;
  JoinedShifts(const ChainLink& link, int64_t first)
      : left_(link, first), right_((&link)[1], first) {
    using Bits = typename One<T>::Bits;
    const Bits both =
        *reinterpret_cast<const Bits*>(link.at) + *reinterpret_cast<const Bits*>((&link)[1].at);
    is_rotation_ = both == 8 * sizeof(Bits);
  }
  HWY_INLINE void operator()(V<T> (&x)[4], int64_t) const {
    ForEach(x, [](int, V<T>, V<T> joined) HWY_ATTR { return joined; });
  }
  // x[i] becomes combine(i, x[i], what is joined of it).
  template <class Combine>
  HWY_INLINE void ForEach(V<T> (&x)[4], Combine combine) const {
#if HWY_TARGET == HWY_AVX3
    if (HWY_LIKELY(is_rotation_)) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = combine(i, x[i], Rotated(x[i]));
      return;
    }
#endif
    const Words<T> words;
    const auto left = hn::BitCast(words, left_.vector), right = hn::BitCast(words, right_.vector);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
#if HWY_TARGET == HWY_AVX2
      // One vector behind the other: compilers would shift all of them first, for which 16
      // registers are too few.
      asm volatile("" : "+x"(x[i].raw));
#endif
      const auto bits = hn::BitCast(words, x[i]);
      const auto joined = hn::Or(hn::Shl(bits, left), hn::Shr(bits, right));
      x[i] = combine(i, x[i], hn::BitCast(Lanes<T>(), joined));
    }
  }

 private:
#if HWY_TARGET == HWY_AVX3
  HWY_INLINE V<T> Rotated(V<T> x) const {
    const Words<T> words;
    auto bits = hn::BitCast(words, x);
    const auto amount = hn::BitCast(words, left_.vector);
    if constexpr (sizeof(T) == 4) {
      bits.raw = _mm512_rolv_epi32(bits.raw, amount.raw);
    } else {
      bits.raw = _mm512_rolv_epi64(bits.raw, amount.raw);
    }
    return hn::BitCast(Lanes<T>(), bits);
  }
#endif

  One<T> left_, right_;
  bool is_rotation_;
};

// y + x, which goes to the memory of the next link, `xor` the joined shifts of x, whose amounts the
// third and fourth link have. y is in memory.
template <typename T>
class MixingRound {
 public:
  using Lane = T;
  static constexpr int kLinks = 4;
  MixingRound(const ChainLink& link, int64_t first)
      : addend_(link, first), sum_((&link)[1], first), shifts_((&link)[2], first) {}
  HWY_INLINE void operator()(V<T> (&x)[4], int64_t number) const {
    const Words<T> words;
    shifts_.ForEach(x, [&](int i, V<T> term, V<T> joined) HWY_ATTR {
      const V<T> addend = hn::LoadU(Lanes<T>(), addend_.Vector(number + i));
      const V<T> sum =
          hn::BitCast(Lanes<T>(), hn::Add(hn::BitCast(words, addend), hn::BitCast(words, term)));
      hn::StoreU(sum, Lanes<T>(), sum_.Vector(number + i));
      return hn::Xor(joined, sum);
    });
  }

 private:
  Memory<T> addend_, sum_;
  JoinedShifts<T> shifts_;
};

template <typename T, typename Integer>
LinkFunction ShiftLink(Opcode opcode, LinkOperands operands) {
  using Signed = std::make_signed_t<Integer>;
  using Unsigned = std::make_unsigned_t<Integer>;
  switch (opcode) {
    case Opcode::kShiftLeft:
      return Binary<T, OnBits<Unsigned, ShiftLeft>>(operands);
    case Opcode::kShiftRightLogical:
      return Binary<T, OnBits<Unsigned, ShiftRight>>(operands);
    case Opcode::kShiftRightArithmetic:
      // AVX2 has none of 64 bits.
      if constexpr (sizeof(T) == 8 && HWY_TARGET == HWY_AVX2) return nullptr;
      return Binary<T, OnBits<Signed, ShiftRight>>(operands);
    default:  // no shift
      return nullptr;
  }
}
template <typename T>
LinkFunction JoinedShiftsLink() {
  return LinkOf<JoinedShifts<T>>();
}
template <typename T>
LinkFunction MixingRoundLink() {
  return LinkOf<MixingRound<T>>();
}
#elif defined(HLO_CHAIN_LINKS)
template <typename T, typename Integer>
LinkFunction ShiftLink(Opcode, LinkOperands) {
  return nullptr;
}
template <typename T>
LinkFunction JoinedShiftsLink() {
  return nullptr;
}
template <typename T>
LinkFunction MixingRoundLink() {
  return nullptr;
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_SHIFTS_INL_H_
