// A link is a function that takes the group in eight vector registers, as arguments, changes them,
// and ends with a call of the next link with the same arguments: compilers make a jump of it, so
// registers are never saved, and what a link costs besides its arithmetic is that jump and the load
// of its other operand. (Where a compiler calls after all, the calls return at the end of the
// group: chains are short.)
//
// Compiled once for each instruction set (the guard toggles); HLO_CHAIN_LINKS says whether there
// are links.
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_LINKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_LINKS_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_LINKS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_LINKS_INL_H_
#endif

#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "interp/simd/chain/chain_kernels.h"

#undef HLO_CHAIN_LINKS

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// Else the compiler's vectors of tile loops are the faster ones, or vectors cannot be members.
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#define HLO_CHAIN_LINKS

namespace hn = hwy::HWY_NAMESPACE;

// What registers hold is T: float where elements have 32 bits, double where they have 64. Integers
// are seen through these.
template <typename T>
using Lanes = hn::ScalableTag<T>;
template <typename T>
using Words = hn::RebindToUnsigned<Lanes<T>>;
template <typename T>
using V = hn::Vec<Lanes<T>>;

template <typename T>
constexpr auto kVectorSize = static_cast<int64_t>(hn::MaxLanes(Lanes<T>()));
template <typename T>
constexpr int64_t kGroupSize = 8 * kVectorSize<T>;
static_assert(kGroupSize<float> <= kMaxGroupSize);
static_assert(kGroupSize<double> * 8 <= kMaxGroupByteSize);

template <typename T>
using Function = void (*)(const ChainLink* link, int64_t first, V<T>, V<T>, V<T>, V<T>, V<T>, V<T>,
                          V<T>, V<T>);

// A step is made for each group, and called for each of its vectors and their numbers, or for four
// of them that it changes, with the number of the first: many instructions of which each waits for
// the one before are then done side by side. Or it is called once for all vectors, which it leaves
// as they are. A step of several links takes the arrays of those that follow, too.
template <class Step>
constexpr int kLinksOf = 1;
template <class Step>
requires requires { Step::kLinks; }
constexpr int kLinksOf<Step> = Step::kLinks;
template <class Step, typename T = typename Step::Lane>
void Link(const ChainLink* link, int64_t first, V<T> v0, V<T> v1, V<T> v2, V<T> v3, V<T> v4,
          V<T> v5, V<T> v6, V<T> v7) {
  const Step step(*link, first);
  if constexpr (std::is_invocable_v<Step, V<T>, V<T>, V<T>, V<T>, V<T>, V<T>, V<T>, V<T>>) {
    step(v0, v1, v2, v3, v4, v5, v6, v7);
  } else if constexpr (std::is_invocable_v<Step, V<T>(&)[4], int64_t>) {
    V<T> low[4] = {v0, v1, v2, v3}, high[4] = {v4, v5, v6, v7};
    step(low, 0);
    step(high, 4);
    v0 = low[0];
    v1 = low[1];
    v2 = low[2];
    v3 = low[3];
    v4 = high[0];
    v5 = high[1];
    v6 = high[2];
    v7 = high[3];
  } else {
    v0 = step(v0, 0);
    v1 = step(v1, 1);
    v2 = step(v2, 2);
    v3 = step(v3, 3);
    v4 = step(v4, 4);
    v5 = step(v5, 5);
    v6 = step(v6, 6);
    v7 = step(v7, 7);
  }
  link += kLinksOf<Step>;
  return reinterpret_cast<Function<T>>(link->function)(link, first, v0, v1, v2, v3, v4, v5, v6, v7);
}

template <typename T>
void End(const ChainLink*, int64_t, V<T>, V<T>, V<T>, V<T>, V<T>, V<T>, V<T>, V<T>) {}

template <class Step>
LinkFunction LinkOf() {
  return reinterpret_cast<LinkFunction>(Link<Step, typename Step::Lane>);
}

template <typename T>
void Run(const ChainLink* links, int64_t first, int64_t end) {
  const V<T> zero = hn::Zero(Lanes<T>());
  const auto function = reinterpret_cast<Function<T>>(links->function);
  for (; first < end; first += kGroupSize<T>) {
    function(links, first, zero, zero, zero, zero, zero, zero, zero, zero);
  }
#if defined(__x86_64__) && HWY_TARGET <= HWY_AVX2
  // Compilers leave it out behind calls by pointer. Without it the next instructions on 16 bytes,
  // in code that is made for all processors, wait a hundred cycles (AMD, Software Optimization
  // Guide for Family 17h).
  _mm256_zeroupper();
#endif
}

// --- Where operands are

// The group in memory, as elements of S.
template <typename T, typename S = T>
struct Memory {
  using Lane = T;
  Memory(const ChainLink& link, int64_t first)
      : at(reinterpret_cast<S*>(link.at) + (first & link.mask)) {}
  S* Vector(int64_t number) const { return at + number * kVectorSize<T>; }
  S* at;
};

// Fn on the bits as integers.
template <typename Integer, class Fn>
struct OnBits {
  template <class Vector>
  Vector operator()(Vector a, Vector b) const {
    const hn::ScalableTag<Integer> integers;
    return hn::BitCast(hn::DFromV<Vector>(),
                       Fn()(hn::BitCast(integers, a), hn::BitCast(integers, b)));
  }
};

template <typename T, class Fn>
struct Alone {
  using Lane = T;
  Alone(const ChainLink&, int64_t) {}
  V<T> operator()(V<T> x, int64_t) const { return Fn()(x); }
};
// Fn changes four vectors, side by side.
template <typename T, class Fn>
struct InFours {
  using Lane = T;
  InFours(const ChainLink&, int64_t) {}
  HWY_INLINE void operator()(V<T> (&x)[4], int64_t) const { Fn()(x); }
};
template <typename T, class Fn>
struct Twice {
  using Lane = T;
  Twice(const ChainLink&, int64_t) {}
  V<T> operator()(V<T> x, int64_t) const { return Fn()(x, x); }
};
template <typename T, class Fn>
struct WithMemory : Memory<T> {
  using Memory<T>::Memory;
  V<T> operator()(V<T> x, int64_t i) const {
    return Fn()(x, hn::LoadU(Lanes<T>(), this->Vector(i)));
  }
};
template <typename T, class Fn>
struct BehindMemory : Memory<T> {
  using Memory<T>::Memory;
  V<T> operator()(V<T> x, int64_t i) const {
    return Fn()(hn::LoadU(Lanes<T>(), this->Vector(i)), x);
  }
};

// One element for all; its bits, whatever they are as a number.
template <typename T>
struct One {
  using Lane = T;
  using Bits = hn::TFromD<Words<T>>;
  One(const ChainLink& link, int64_t)
      : vector(hn::BitCast(Lanes<T>(),
                           hn::Set(Words<T>(), *reinterpret_cast<const Bits*>(link.at)))) {}
  V<T> vector;
};
template <typename T, class Fn>
struct WithOne : One<T> {
  using One<T>::One;
  V<T> operator()(V<T> x, int64_t) const { return Fn()(x, this->vector); }
};
template <typename T, class Fn>
struct BehindOne : One<T> {
  using One<T>::One;
  V<T> operator()(V<T> x, int64_t) const { return Fn()(this->vector, x); }
};

template <typename T, class Fn>
LinkFunction Binary(LinkOperands operands) {
  switch (operands) {
    case LinkOperands::kRegistersMemory:
      return LinkOf<WithMemory<T, Fn>>();
    case LinkOperands::kMemoryRegisters:
      return LinkOf<BehindMemory<T, Fn>>();
    case LinkOperands::kRegistersOne:
      return LinkOf<WithOne<T, Fn>>();
    case LinkOperands::kOneRegisters:
      return LinkOf<BehindOne<T, Fn>>();
    case LinkOperands::kRegistersTwice:
      return LinkOf<Twice<T, Fn>>();
  }
  return nullptr;
}

// --- From memory and to it

template <typename T>
struct LoadOne : One<T> {
  using One<T>::One;
  V<T> operator()(V<T>, int64_t) const { return this->vector; }
};
template <typename T>
struct Load : Memory<T> {
  using Memory<T>::Memory;
  V<T> operator()(V<T>, int64_t i) const { return hn::LoadU(Lanes<T>(), this->Vector(i)); }
};
template <typename T>
struct Store : Memory<T> {
  using Memory<T>::Memory;
  V<T> operator()(V<T> x, int64_t i) const {
    hn::StoreU(x, Lanes<T>(), this->Vector(i));
    return x;
  }
};
template <typename T>
struct Stream : Memory<T> {
  using Memory<T>::Memory;
  V<T> operator()(V<T> x, int64_t i) const {
    hn::Stream(x, Lanes<T>(), this->Vector(i));
    return x;
  }
};
template <typename T, typename S>
struct Fetch : Memory<T, S> {
  using Memory<T, S>::Memory;
  // Once for each line of a cache.
  V<T> operator()(V<T> x, int64_t i) const {
    constexpr int64_t kLine = 64 / sizeof(S);
    for (int64_t element = 0; element < kVectorSize<T>; element += kLine) {
      if (i * kVectorSize<T> % kLine == 0) hwy::Prefetch(this->Vector(i) + element);
    }
    return x;
  }
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_LINKS_INL_H_
