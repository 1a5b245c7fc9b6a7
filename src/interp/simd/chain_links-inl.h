// A link is a function that takes the group in eight vector registers, as arguments, changes them,
// and ends with a call of the next link with the same arguments: compilers make a jump of it, so
// registers are never saved, and what a link costs besides its arithmetic is that jump and the load
// of its other operand. (Where a compiler calls after all, the calls return at the end of the
// group: chains are short.)
//
// Compiled once for each instruction set (the guard toggles); HLO_CHAIN_LINKS says whether there
// are links.
#if defined(HLOKIT_INTERP_SIMD_CHAIN_LINKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_LINKS_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_LINKS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_LINKS_INL_H_
#endif

#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "interp/simd/chain_kernels.h"

#undef HLO_CHAIN_LINKS

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// Else the compiler's vectors of tile loops are the faster ones, or vectors cannot be members.
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#define HLO_CHAIN_LINKS

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using Halves = hn::Rebind<uint16_t, Floats>;
using V = hn::Vec<Floats>;

constexpr int64_t kVectorSize = static_cast<int64_t>(hn::MaxLanes(Floats()));
constexpr int64_t kGroupSize = 8 * kVectorSize;
static_assert(kGroupSize <= kMaxGroupSize);

HWY_INLINE hn::Vec<Words> BitsOf(V x) { return hn::BitCast(Words(), x); }
HWY_INLINE V FloatsOf(hn::Vec<Words> bits) { return hn::BitCast(Floats(), bits); }

using Function = void (*)(const ChainLink* link, int64_t first, V, V, V, V, V, V, V, V);

// A step is made for each group, and called for each of its vectors and their numbers, or for four
// of them that it changes, with the number of the first: many instructions of which each waits for
// the one before are then done side by side. Or it is called once for all vectors, which it leaves
// as they are.
template <class Step>
void Link(const ChainLink* link, int64_t first, V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7) {
  const Step step(*link, first);
  if constexpr (std::is_invocable_v<Step, V, V, V, V, V, V, V, V>) {
    step(v0, v1, v2, v3, v4, v5, v6, v7);
  } else if constexpr (std::is_invocable_v<Step, V(&)[4], int64_t>) {
    V low[4] = {v0, v1, v2, v3}, high[4] = {v4, v5, v6, v7};
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
  ++link;
  return reinterpret_cast<Function>(link->function)(link, first, v0, v1, v2, v3, v4, v5, v6, v7);
}

void End(const ChainLink*, int64_t, V, V, V, V, V, V, V, V) {}

template <class Step>
LinkFunction LinkOf() {
  return reinterpret_cast<LinkFunction>(Link<Step>);
}

void Run(const ChainLink* links, int64_t count) {
  const V zero = hn::Zero(Floats());
  const auto function = reinterpret_cast<Function>(links->function);
  for (int64_t first = 0; first < count; first += kGroupSize) {
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

// The group in memory.
template <typename T>
struct Memory {
  Memory(const ChainLink& link, int64_t first)
      : at(reinterpret_cast<T*>(link.at) + (first & link.mask)) {}
  T* Vector(int64_t number) const { return at + number * kVectorSize; }
  T* at;
};

template <class Fn>
struct Alone {
  Alone(const ChainLink&, int64_t) {}
  V operator()(V x, int64_t) const { return Fn()(x); }
};
// Fn changes four vectors, side by side.
template <class Fn>
struct InFours {
  InFours(const ChainLink&, int64_t) {}
  HWY_INLINE void operator()(V (&x)[4], int64_t) const { Fn()(x); }
};
template <class Fn>
struct Twice : Alone<Fn> {
  using Alone<Fn>::Alone;
  V operator()(V x, int64_t) const { return Fn()(x, x); }
};
template <class Fn>
struct WithMemory : Memory<float> {
  using Memory::Memory;
  V operator()(V x, int64_t i) const { return Fn()(x, hn::LoadU(Floats(), Vector(i))); }
};
template <class Fn>
struct BehindMemory : Memory<float> {
  using Memory::Memory;
  V operator()(V x, int64_t i) const { return Fn()(hn::LoadU(Floats(), Vector(i)), x); }
};

// One element for all.
struct One {
  One(const ChainLink& link, int64_t)
      : vector(FloatsOf(hn::Set(Words(), *reinterpret_cast<const uint32_t*>(link.at)))) {}
  V vector;
};
template <class Fn>
struct WithOne : One {
  using One::One;
  V operator()(V x, int64_t) const { return Fn()(x, vector); }
};
template <class Fn>
struct BehindOne : One {
  using One::One;
  V operator()(V x, int64_t) const { return Fn()(vector, x); }
};

template <class Fn>
LinkFunction Binary(LinkOperands operands) {
  switch (operands) {
    case LinkOperands::kRegistersMemory:
      return LinkOf<WithMemory<Fn>>();
    case LinkOperands::kMemoryRegisters:
      return LinkOf<BehindMemory<Fn>>();
    case LinkOperands::kRegistersOne:
      return LinkOf<WithOne<Fn>>();
    case LinkOperands::kOneRegisters:
      return LinkOf<BehindOne<Fn>>();
    case LinkOperands::kRegistersTwice:
      return LinkOf<Twice<Fn>>();
  }
  return nullptr;
}

// --- From memory and to it

struct LoadOne : One {
  using One::One;
  V operator()(V, int64_t) const { return vector; }
};
struct Load : Memory<float> {
  using Memory::Memory;
  V operator()(V, int64_t i) const { return hn::LoadU(Floats(), Vector(i)); }
};
struct Store : Memory<float> {
  using Memory::Memory;
  V operator()(V x, int64_t i) const {
    hn::StoreU(x, Floats(), Vector(i));
    return x;
  }
};
struct Stream : Memory<float> {
  using Memory::Memory;
  V operator()(V x, int64_t i) const {
    hn::Stream(x, Floats(), Vector(i));
    return x;
  }
};
template <typename T>
struct Fetch : Memory<T> {
  using Memory<T>::Memory;
  // Once for each line of a cache.
  V operator()(V x, int64_t i) const {
    constexpr int64_t kLine = 64 / sizeof(T);
    if (i * kVectorSize % kLine == 0) hwy::Prefetch(this->Vector(i));
    return x;
  }
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_LINKS_INL_H_
