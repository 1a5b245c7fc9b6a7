// A link is a function that takes the group in eight vector registers, as arguments, changes them,
// and ends with a call of the next link with the same arguments: compilers make a jump of it, so
// registers are never saved, and what a link costs besides its arithmetic is that jump and the load
// of its other operand. (Where a compiler calls after all, the calls return at the end of the
// group: chains are short.)
#include "interp/simd/chain_kernels.h"

#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/chain_kernels.cc"
#include "interp/simd/targets.h"
// After targets.h.
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/vector_extremes-inl.h"
#include "interp/simd/vector_functions-inl.h"
#include "interp/simd/vector_power-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
// The compiler's vectors of tile loops are the faster ones, or vectors cannot be members.
ChainKernels AllKernels() { return {}; }
#else

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
// the one before are then done side by side.
template <class Step>
void Link(const ChainLink* link, int64_t first, V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7) {
  const Step step(*link, first);
  if constexpr (std::is_invocable_v<Step, V(&)[4], int64_t>) {
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

// --- Arithmetic; the meaning of each opcode is in kernel/scalar_ops_*.h

struct Add {
  V operator()(V a, V b) const { return hn::Add(a, b); }
};
struct Subtract {
  V operator()(V a, V b) const { return hn::Sub(a, b); }
};
struct Multiply {
  V operator()(V a, V b) const { return hn::Mul(a, b); }
};
struct Divide {
  V operator()(V a, V b) const { return hn::Div(a, b); }
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
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
    const float magnitude = std::fabs(*reinterpret_cast<const float*>(link.at));
    const bool is_usual = magnitude > 0x1p-40f && magnitude < 0x1p40f;
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
LinkFunction DivideLink(LinkOperands operands) {
  return operands == LinkOperands::kRegistersOne ? LinkOf<DivideByOne>() : Binary<Divide>(operands);
}
#else
LinkFunction DivideLink(LinkOperands operands) { return Binary<Divide>(operands); }
#endif

#ifdef HLO_VECTOR_POWER
struct Power {
  V operator()(V a, V b) const { return VectorPower()(Floats(), a, b); }
};
#endif

struct Abs {
  V operator()(V x) const { return hn::Abs(x); }
};
struct Negate {
  V operator()(V x) const { return hn::Neg(x); }
};
struct Sqrt {
  V operator()(V x) const { return hn::Sqrt(x); }
};
struct Rsqrt {
  V operator()(V x) const { return hn::Div(hn::Set(Floats(), 1.0f), hn::Sqrt(x)); }
};
struct Floor {
  V operator()(V x) const { return hn::Floor(x); }
};
struct Ceil {
  V operator()(V x) const { return hn::Ceil(x); }
};
struct RoundNearestEven {
  V operator()(V x) const { return hn::Round(x); }
};

// Fn on the bits as elements of D.
template <class D, class Fn>
struct OnBits {
  template <class... Vs>
  V operator()(Vs... x) const {
    return hn::BitCast(Floats(), Fn()(hn::BitCast(D(), x)...));
  }
};
#define HLO_LINK_OF_INTEGERS(Name, expression) \
  struct Integer##Name {                       \
    template <class W>                         \
    W operator()(W a, W b) const {             \
      return expression;                       \
    }                                          \
  };
HLO_LINK_OF_INTEGERS(Add, hn::Add(a, b))
HLO_LINK_OF_INTEGERS(Subtract, hn::Sub(a, b))
HLO_LINK_OF_INTEGERS(Multiply, hn::Mul(a, b))
HLO_LINK_OF_INTEGERS(And, hn::And(a, b))
HLO_LINK_OF_INTEGERS(Or, hn::Or(a, b))
HLO_LINK_OF_INTEGERS(Xor, hn::Xor(a, b))
HLO_LINK_OF_INTEGERS(Maximum, hn::Max(a, b))
HLO_LINK_OF_INTEGERS(Minimum, hn::Min(a, b))
#undef HLO_LINK_OF_INTEGERS

template <class D>
LinkFunction IntegerBinary(Opcode opcode, LinkOperands operands) {
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<OnBits<D, IntegerAdd>>(operands);
    case Opcode::kSubtract:
      return Binary<OnBits<D, IntegerSubtract>>(operands);
    case Opcode::kMultiply:
      return Binary<OnBits<D, IntegerMultiply>>(operands);
    case Opcode::kAnd:
      return Binary<OnBits<D, IntegerAnd>>(operands);
    case Opcode::kOr:
      return Binary<OnBits<D, IntegerOr>>(operands);
    case Opcode::kXor:
      return Binary<OnBits<D, IntegerXor>>(operands);
    case Opcode::kMaximum:
      return Binary<OnBits<D, IntegerMaximum>>(operands);
    case Opcode::kMinimum:
      return Binary<OnBits<D, IntegerMinimum>>(operands);
    default:  // no link of these types
      return nullptr;
  }
}

LinkFunction FloatBinary(Opcode opcode, LinkOperands operands) {
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<Add>(operands);
    case Opcode::kSubtract:
      return Binary<Subtract>(operands);
    case Opcode::kMultiply:
      return Binary<Multiply>(operands);
    case Opcode::kDivide:
      return DivideLink(operands);
    case Opcode::kMaximum:
      return Binary<VectorMaximum>(operands);
    case Opcode::kMinimum:
      return Binary<VectorMinimum>(operands);
#ifdef HLO_VECTOR_POWER
    case Opcode::kPower:
      return Binary<Power>(operands);
#endif
    default:  // no link of these types
      return nullptr;
  }
}

LinkFunction BinaryLink(Opcode opcode, ElementType type, LinkOperands operands) {
  switch (type) {
    case ElementType::kF32:
      return FloatBinary(opcode, operands);
    case ElementType::kS32:
      return IntegerBinary<Integers>(opcode, operands);
    case ElementType::kU32:
      return IntegerBinary<Words>(opcode, operands);
    default:  // no 32 bits
      return nullptr;
  }
}

#ifdef HLO_VECTOR_FUNCTIONS
// The library takes and gives vectors of the compiler.
template <class Fn>
struct OfLibrary {
  V operator()(V x) const {
    VectorF32 vector;
    hwy::CopySameSize(&x, &vector);
    vector = Fn()(vector);
    hwy::CopySameSize(&vector, &x);
    return x;
  }
};

template <class Fn>
LinkFunction FunctionLink() {
  if constexpr (TakesFour<Fn, float>) return LinkOf<InFours<Fn>>();
  return LinkOf<Alone<OfLibrary<Fn>>>();
}
#endif

LinkFunction UnaryLink(Opcode opcode, ElementType type) {
  if (type != ElementType::kF32) return nullptr;
  switch (opcode) {
    case Opcode::kAbs:
      return LinkOf<Alone<Abs>>();
    case Opcode::kNegate:
      return LinkOf<Alone<Negate>>();
    case Opcode::kSqrt:
      return LinkOf<Alone<Sqrt>>();
    case Opcode::kRsqrt:
      return LinkOf<Alone<Rsqrt>>();
    case Opcode::kFloor:
      return LinkOf<Alone<Floor>>();
    case Opcode::kCeil:
      return LinkOf<Alone<Ceil>>();
    case Opcode::kRoundNearestEven:
      return LinkOf<Alone<RoundNearestEven>>();
#ifdef HLO_VECTOR_FUNCTIONS
#define HLO_ROW(Name, name) \
  case Opcode::k##Name:     \
    return FunctionLink<Vector_##name>();
      HLO_VECTOR_FUNCTIONS(HLO_ROW)
#undef HLO_ROW
#endif
    default:  // no link of one operand
      return nullptr;
  }
}

// --- Narrow floats

// To the nearest, ties to even: half a unit less one, or half a unit if the last bit that stays is
// set, and the rest cut off. A NaN whose lower bits are zeros stays as it is.
struct RoundArithmetic {
  V operator()(V x) const {
    const hn::Vec<Words> bits = BitsOf(x);
#if HWY_TARGET == HWY_AVX3
    const __mmask16 is_odd = _mm512_test_epi32_mask(bits.raw, _mm512_set1_epi32(0x10000));
    const __m512i below = _mm512_add_epi32(bits.raw, _mm512_set1_epi32(0x7fff));
    const hn::Vec<Words> sum = {
        _mm512_mask_add_epi32(below, is_odd, bits.raw, _mm512_set1_epi32(0x8000))};
#else
    const hn::Vec<Words> last = hn::And(hn::ShiftRight<16>(bits), hn::Set(Words(), 1));
    const hn::Vec<Words> sum = hn::Add(hn::Add(bits, hn::Set(Words(), 0x7fff)), last);
#endif
    return FloatsOf(hn::And(sum, hn::Set(Words(), 0xffff0000)));
  }
};
// A comparison finds a NaN in two vectors.
HWY_INLINE bool HasNan(const V (&x)[4]) {
#if HWY_TARGET == HWY_AVX3
  return (_mm512_cmp_ps_mask(x[0].raw, x[1].raw, _CMP_UNORD_Q) |
          _mm512_cmp_ps_mask(x[2].raw, x[3].raw, _CMP_UNORD_Q)) != 0;
#elif HWY_TARGET == HWY_AVX2
  return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x[0].raw, x[1].raw, _CMP_UNORD_Q),
                                         _mm256_cmp_ps(x[2].raw, x[3].raw, _CMP_UNORD_Q))) != 0;
#else
  return !hn::AllFalse(Floats(), hn::Or(hn::Or(hn::IsNaN(x[0]), hn::IsNaN(x[1])),
                                        hn::Or(hn::IsNaN(x[2]), hn::IsNaN(x[3]))));
#endif
}
struct RoundAny {
  HWY_INLINE void operator()(V (&x)[4]) const {
    if (HWY_UNLIKELY(HasNan(x))) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = OfAny(x[i]);
      return;
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = RoundArithmetic()(x[i]);
  }

 private:
  static V OfAny(V x) {
    const hn::Vec<Words> sign = hn::And(BitsOf(x), hn::Set(Words(), 0x80000000));
    const V nan = FloatsOf(hn::Or(sign, hn::Set(Words(), 0x7fc00000)));
    return hn::IfThenElse(hn::IsNaN(x), nan, RoundArithmetic()(x));
  }
};

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
  V operator()(V x, int64_t i) const {
    hwy::Prefetch(this->Vector(i));
    return x;
  }
};
struct LoadBF16 : Memory<uint16_t> {
  using Memory::Memory;
  V operator()(V, int64_t i) const {
    const auto narrow = hn::LoadU(Halves(), Vector(i));
    return FloatsOf(hn::ShiftLeft<16>(hn::PromoteTo(Words(), narrow)));
  }
};

HWY_INLINE hn::Vec<Halves> UpperHalves(V x) {
#if HWY_TARGET == HWY_AVX3
  return hn::Vec<Halves>{_mm512_cvtepi32_epi16(hn::ShiftRight<16>(BitsOf(x)).raw)};
#else
  // The demotion saturates: numbers with sign, which all fit.
  const auto wide = hn::ShiftRight<16>(hn::BitCast(Integers(), x));
  return hn::BitCast(Halves(), hn::DemoteTo(hn::Rebind<int16_t, Floats>(), wide));
#endif
}
#if HWY_TARGET == HWY_AVX2
// Two vectors make one, in less instructions than two halves.
HWY_INLINE __m256i UpperHalvesOfTwo(V a, V b) {
  const __m256i halves =
      _mm256_packus_epi32(hn::ShiftRight<16>(BitsOf(a)).raw, hn::ShiftRight<16>(BitsOf(b)).raw);
  return _mm256_permute4x64_epi64(halves, _MM_SHUFFLE(3, 1, 2, 0));
}
template <void kPut(__m256i*, __m256i)>
struct PutBF16 : Memory<uint16_t> {
  using Memory::Memory;
  HWY_INLINE void operator()(V (&x)[4], int64_t first) const {
#pragma GCC unroll 2
    for (int i = 0; i < 4; i += 2) {
      kPut(reinterpret_cast<__m256i*>(Vector(first + i)), UpperHalvesOfTwo(x[i], x[i + 1]));
    }
  }
};
HWY_INLINE void PutAnywhere(__m256i* to, __m256i halves) { _mm256_storeu_si256(to, halves); }
HWY_INLINE void PutPastCaches(__m256i* to, __m256i halves) { _mm256_stream_si256(to, halves); }
using StoreBF16 = PutBF16<PutAnywhere>;
using StreamBF16 = PutBF16<PutPastCaches>;
#else
struct StoreBF16 : Memory<uint16_t> {
  using Memory::Memory;
  V operator()(V x, int64_t i) const {
    hn::StoreU(UpperHalves(x), Halves(), Vector(i));
    return x;
  }
};
struct StreamBF16 : Memory<uint16_t> {
  using Memory::Memory;
  V operator()(V x, int64_t i) const {
    hn::Stream(UpperHalves(x), Halves(), Vector(i));
    return x;
  }
};
#endif

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#if HWY_TARGET == HWY_AVX3
HWY_INLINE __m256i NarrowedToF16(V x) {
  return _mm512_cvtps_ph(x.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
HWY_INLINE V WidenedF16(__m256i x) { return V{_mm512_cvtph_ps(x)}; }
#else
HWY_INLINE __m128i NarrowedToF16(V x) {
  return _mm256_cvtps_ph(x.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
HWY_INLINE V WidenedF16(__m128i x) { return V{_mm256_cvtph_ps(x)}; }
#endif

struct RoundF16 {
  V operator()(V x) const { return WidenedF16(NarrowedToF16(x)); }
};
struct LoadF16 : Memory<uint16_t> {
  using Memory::Memory;
  V operator()(V, int64_t i) const { return WidenedF16(hn::LoadU(Halves(), Vector(i)).raw); }
};
struct StoreF16 : Memory<uint16_t> {
  using Memory::Memory;
  V operator()(V x, int64_t i) const {
    hn::StoreU(hn::Vec<Halves>{NarrowedToF16(x)}, Halves(), Vector(i));
    return x;
  }
};
LinkFunction LoadOfF16() { return LinkOf<LoadF16>(); }
LinkFunction StoreOfF16() { return LinkOf<StoreF16>(); }
LinkFunction RoundOfF16() { return LinkOf<Alone<RoundF16>>(); }
#else
LinkFunction LoadOfF16() { return nullptr; }
LinkFunction StoreOfF16() { return nullptr; }
LinkFunction RoundOfF16() { return nullptr; }
#endif

// --- Tables

LinkFunction LoadOneLink() { return LinkOf<LoadOne>(); }
LinkFunction LoadLink(ElementType type) {
  if (type == ElementType::kBf16) return LinkOf<LoadBF16>();
  return type == ElementType::kF16 ? LoadOfF16() : LinkOf<Load>();
}
LinkFunction StoreLink(ElementType type) {
  if (type == ElementType::kBf16) return LinkOf<StoreBF16>();
  return type == ElementType::kF16 ? StoreOfF16() : LinkOf<Store>();
}
LinkFunction StreamLink(ElementType type) {
  // What is less than 16 bytes has no way past the caches.
  constexpr bool kIsHalfTooShort = hn::MaxLanes(Halves()) * sizeof(uint16_t) < 16;
  if (type == ElementType::kBf16) {
    return LinkOf<std::conditional_t<kIsHalfTooShort, StoreBF16, StreamBF16>>();
  }
  return type == ElementType::kF16 ? StoreOfF16() : LinkOf<Stream>();
}
LinkFunction RoundLink(ElementType type, bool is_arithmetic_result) {
  if (type == ElementType::kF16) return RoundOfF16();
  return is_arithmetic_result ? LinkOf<Alone<RoundArithmetic>>() : LinkOf<InFours<RoundAny>>();
}
LinkFunction FetchLink(int64_t element_size) {
  switch (element_size) {
    case 2:
      return LinkOf<Fetch<uint16_t>>();
    case 4:
      return LinkOf<Fetch<float>>();
    default:  // nothing that chains read
      return nullptr;
  }
}
LinkFunction EndLink() { return reinterpret_cast<LinkFunction>(End); }

ChainKernels AllKernels() {
  return {kGroupSize, UnaryLink, BinaryLink, LoadOneLink, LoadLink, StoreLink,
          StreamLink, RoundLink, FetchLink,  EndLink,     Run};
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const ChainKernels& GetChainKernels() {
  static const ChainKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
