// The functors of scalar_ops_*.h in loops that the compiler makes vectors of, for each instruction
// set; transcendental functions are those of the C library's vector part (libmvec), at most 4 ULP
// off (tolerance.def), where it is there, and powers and remainders our own.
#include "interp/simd/loops/block_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "interp/reference/sort_key.h"
#include "ir/element_conversion.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/block_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/tile_loops-inl.h"
#include "interp/simd/vector/vector_bf16-inl.h"
#include "interp/simd/vector/vector_division-inl.h"
#include "interp/simd/vector/vector_functions-inl.h"
#include "interp/simd/vector/vector_power-inl.h"
#include "interp/simd/vector/vector_rounding-inl.h"
#include "interp/simd/vector/wide_bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// --- Vector functions of the C library

#ifdef HLO_VECTOR_FUNCTIONS
// Fn of as many vectors of `x`.
template <typename Fn, int kVectors, typename T>
HWY_INLINE void SomeVectors(const T* x, T* to) {
  const hn::ScalableTag<T> d;
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(d));
  RegisterOf<T> v[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) v[k] = hn::LoadU(d, x + k * kWidth);
  if constexpr (kVectors == 1) {
    v[0].raw = Fn()(v[0].raw);
  } else {
    Fn()(v);
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) hn::StoreU(v[k], d, to + k * kWidth);
}

// Of fewer elements than so many vectors hold, which are filled up with `rest`.
template <typename Fn, int kVectors, typename T>
HWY_INLINE void LastVectors(const T* x, int64_t count, T rest, T* to) {
  T filled[kVectors * hn::MaxLanes(hn::ScalableTag<T>())];
  std::fill(std::copy_n(x, count, filled), std::end(filled), rest);
  SomeVectors<Fn, kVectors>(filled, filled);
  std::copy_n(filled, count, to);
}

// The last vector is filled up with ones, that of a scalar with it.
template <typename Fn, typename T>
void VectorLoop(const void* a, const void*, const void*, void* result, int64_t count) {
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  const T* x = As<T>(a);
  T* to = As<T>(result);
  int64_t i = 0;
  if constexpr (TakesFour<Fn, T>) {
    for (; i + 4 * kWidth <= count; i += 4 * kWidth) SomeVectors<Fn, 4>(x + i, to + i);
    if (i + kWidth < count) return LastVectors<Fn, 4>(x + i, count - i, T(1), to + i);
  }
  for (; i + kWidth <= count; i += kWidth) SomeVectors<Fn, 1>(x + i, to + i);
  if (i < count) LastVectors<Fn, 1>(x + i, count - i, count == 1 ? x[0] : T(1), to + i);
}

template <typename T>
TileLoop VectorFunction(Opcode opcode) {
  switch (opcode) {
#define HLO_ROW(Name, name) \
  case Opcode::k##Name:     \
    return VectorLoop<Vector_##name, T>;
    HLO_VECTOR_FUNCTIONS(HLO_ROW)
#undef HLO_ROW
    default:  // not of the library, or not one argument
      return nullptr;
  }
}
#else
template <typename T>
TileLoop VectorFunction(Opcode) {
  return nullptr;
}
#endif

// --- Tables

template <typename T>
TileLoop FloatLoop(Opcode opcode) {
#ifdef HLO_VECTOR_REMAINDER
  if (opcode == Opcode::kRemainder) return VectorBinaryTile<FloatRemainder, T>;
#endif
#ifdef HLO_VECTOR_POWER
  if (opcode == Opcode::kPower) return VectorBinaryTile<VectorPower, T>;
#endif
#ifdef HLO_VECTOR_ATAN2
  if (opcode == Opcode::kAtan2) return VectorBinaryTile<VectorAtan2, T>;
#endif
#ifdef HLO_VECTOR_ROUNDING
  // The functors call the C library for each element (round-nearest-afz), or take up to twice as
  // long.
  if (opcode == Opcode::kFloor) return VectorUnaryTile<VectorFloor, T>;
  if (opcode == Opcode::kCeil) return VectorUnaryTile<VectorCeil, T>;
  if (opcode == Opcode::kRoundNearestAfz) return VectorUnaryTile<VectorRoundAfz, T>;
#endif
  if (TileLoop loop = VectorFunction<T>(opcode)) return loop;
  return FunctorLoop<T>(opcode);
}

TileLoop Elementwise(Opcode opcode, ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return FloatLoop<float>(opcode);
    case ElementType::kF64:
      return FloatLoop<double>(opcode);
    case ElementType::kPred:
      return FunctorLoop<bool>(opcode);
    case ElementType::kC64:
    case ElementType::kC128:
      return GetComplexKernels().elementwise(opcode, type);
    default:
      return IsSubByteInteger(type) ? GetSubByteKernels().elementwise(opcode, type)
                                    : GetIntegerKernels().elementwise(opcode, type);
  }
}

// By the functors alone: these call the C library's functions of single elements.
TileLoop ExactElementwise(Opcode opcode, ElementType type) {
  if (type == ElementType::kF32) return FunctorLoop<float>(opcode);
  if (type == ElementType::kF64) return FunctorLoop<double>(opcode);
  if (IsComplex(type)) return GetComplexKernels().exact(opcode, type);
  return Elementwise(opcode, type);
}

TileLoop Compare(ComparisonDirection direction, ElementType type) {
  if (IsComplex(type)) return GetComplexKernels().compare(direction, type);
  return ForTile(StoredType(type), [&]<typename T>() -> TileLoop {
    switch (direction) {
      case ComparisonDirection::kEq:
        return BinaryTile<EqFn, T>;
      case ComparisonDirection::kNe:
        return BinaryTile<NeFn, T>;
      case ComparisonDirection::kGe:
        return BinaryTile<GeFn, T>;
      case ComparisonDirection::kGt:
        return BinaryTile<GtFn, T>;
      case ComparisonDirection::kLe:
        return BinaryTile<LeFn, T>;
      case ComparisonDirection::kLt:
        return BinaryTile<LtFn, T>;
    }
    return nullptr;
  });
}

// Magnitudes, and for negative numbers their complements, which go down as they go up.
template <typename Bits>
void OrderTile(const void* a, const void*, const void*, void* result, int64_t count) {
  const Bits* x = As<Bits>(a);
  Bits* to = As<Bits>(result);
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
  constexpr int kSign = std::numeric_limits<Bits>::digits;
  ForEachElement(count, [&](int64_t i) { to[i] = x[i] ^ ((x[i] >> kSign) & kMagnitude); });
}

template <typename T>
void OrderNarrow(const void* a, const void*, const void*, void* result, int64_t count) {
  const T* x = As<T>(a);
  int16_t* to = As<int16_t>(result);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<int16_t>(reference::TotalOrderKey(x[i]));
  }
}

TileLoop Order(ElementType type) {
  if (type == ElementType::kF32) return OrderTile<int32_t>;
  if (type == ElementType::kF64) return OrderTile<int64_t>;
  return DispatchElementType<kFloat>(type, []<typename T>() -> TileLoop {
    if constexpr (RealElement<T>) return nullptr;  // above
    return OrderNarrow<T>;
  });
}

#if HWY_TARGET != HWY_SCALAR
template <typename T>
void SelectWideTile(const void* a, const void* b, const void* c, void* result, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  const uint8_t* chooses = As<uint8_t>(a);
  const T* x = As<T>(b);
  const T* y = As<T>(c);
  T* to = As<T>(result);
  int64_t i = 0;
  for (; i + width <= count; i += width) {
    const auto is_other = hn::Eq(WidenedBytes(d, chooses + i), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(is_other, hn::LoadU(d, y + i), hn::LoadU(d, x + i)), d, to + i);
  }
  for (; i < count; ++i) to[i] = chooses[i] != 0 ? x[i] : y[i];
}
#endif

// By masks: a choice between two loads would go one by one.
template <typename T>
void SelectTile(const void* a, const void* b, const void* c, void* result, int64_t count) {
#if HWY_TARGET != HWY_SCALAR
  // The compiler's widening of bytes takes several times as long.
  if constexpr (sizeof(T) >= 4) return SelectWideTile<T>(a, b, c, result, count);
#endif
  const uint8_t* chooses = As<uint8_t>(a);
  const T* x = As<T>(b);
  const T* y = As<T>(c);
  T* to = As<T>(result);
  ForEachElement(count, [&](int64_t i) {
    const T mask = static_cast<T>(-static_cast<T>(chooses[i] != 0));
    to[i] = static_cast<T>((x[i] & mask) | (y[i] & ~mask));
  });
}

// Of two words each.
void SelectPairTile(const void* a, const void* b, const void* c, void* result, int64_t count) {
  const uint8_t* chooses = As<uint8_t>(a);
  const uint64_t* x = As<uint64_t>(b);
  const uint64_t* y = As<uint64_t>(c);
  uint64_t* to = As<uint64_t>(result);
  ForEachElement(count, [&](int64_t i) {
    const uint64_t mask = -static_cast<uint64_t>(chooses[i] != 0);
    to[2 * i] = (x[2 * i] & mask) | (y[2 * i] & ~mask);
    to[2 * i + 1] = (x[2 * i + 1] & mask) | (y[2 * i + 1] & ~mask);
  });
}

TileLoop Select(int64_t element_size) {
  switch (element_size) {
    case 1:
      return SelectTile<uint8_t>;
    case 2:
      return SelectTile<uint16_t>;
    case 4:
      return SelectTile<uint32_t>;
    case 8:
      return SelectTile<uint64_t>;
    case 16:
      return SelectPairTile;
  }
  return nullptr;
}

TileLoop Convert(ElementType from, ElementType to) {
  if (IsComplex(from) || IsComplex(to)) return GetComplexKernels().convert(from, to);
  const IntegerKernels& kernels = IsSubByteInteger(to) ? GetSubByteKernels() : GetIntegerKernels();
  // Compilers make vectors of bytes, but not of truth values.
  if (from == ElementType::kPred && to != ElementType::kPred) from = ElementType::kU8;
  return kernels.convert(StoredType(from), to);
}

// --- Narrow floats

// The bits of x rounded to bf16, in the upper half; a NaN stays one.
inline uint32_t RoundedToBF16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000;
  const uint32_t nan = (bits & 0x80000000) | 0x7fc00000;
  return (bits & 0x7fffffff) > 0x7f800000 ? nan : rounded;
}

void WidenBF16(const void* a, const void*, const void*, void* result, int64_t count) {
  const uint16_t* x = As<uint16_t>(a);
  uint32_t* to = As<uint32_t>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = uint32_t{x[i]} << 16; });
}
void NarrowBF16(const void* a, const void*, const void*, void* result, int64_t count) {
  const float* x = As<float>(a);
  uint16_t* to = As<uint16_t>(result);
#ifdef HLO_VECTOR_BF16
  constexpr auto kStep = 4 * static_cast<int64_t>(hn::MaxLanes(Floats32()));
  for (; count >= kStep; count -= kStep, x += kStep, to += kStep) NarrowFour(x, to);
#endif
  ForEachElement(count,
                 [&](int64_t i) { to[i] = static_cast<uint16_t>(RoundedToBF16(x[i]) >> 16); });
}
void RoundBF16(const void* a, const void*, const void*, void* result, int64_t count) {
  const float* x = As<float>(a);
  uint32_t* to = As<uint32_t>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = RoundedToBF16(x[i]); });
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
void WidenF16(const void* a, const void*, const void*, void* result, int64_t count) {
  const uint16_t* x = As<uint16_t>(a);
  float* to = As<float>(result);
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i half;
    std::memcpy(&half, x + i, sizeof(half));
    const __m256 wide = _mm256_cvtph_ps(half);
    std::memcpy(to + i, &wide, sizeof(wide));
  }
  if (i == count) return;
  uint16_t rest[8] = {};
  std::copy(x + i, x + count, rest);
  __m128i half;
  std::memcpy(&half, rest, sizeof(half));
  const __m256 wide = _mm256_cvtph_ps(half);
  std::memcpy(to + i, &wide, static_cast<size_t>(count - i) * sizeof(float));
}
void NarrowF16(const void* a, const void*, const void*, void* result, int64_t count) {
  const float* x = As<float>(a);
  uint16_t* to = As<uint16_t>(result);
  int64_t i = 0;
  __m256 wide;
  for (; i + 8 <= count; i += 8) {
    std::memcpy(&wide, x + i, sizeof(wide));
    const __m128i half = _mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    std::memcpy(to + i, &half, sizeof(half));
  }
  if (i == count) return;
  float rest[8] = {};
  std::copy(x + i, x + count, rest);
  std::memcpy(&wide, rest, sizeof(wide));
  const __m128i half = _mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  std::memcpy(to + i, &half, static_cast<size_t>(count - i) * sizeof(uint16_t));
}
#else
void WidenF16(const void* a, const void*, const void*, void* result, int64_t count) {
  ConvertElements(ElementType::kF16, As<std::byte>(a), ElementType::kF32, As<std::byte>(result),
                  count);
}
void NarrowF16(const void* a, const void*, const void*, void* result, int64_t count) {
  ConvertElements(ElementType::kF32, As<std::byte>(a), ElementType::kF16, As<std::byte>(result),
                  count);
}
#endif
void RoundF16(const void* a, const void*, const void*, void* result, int64_t count) {
  constexpr int64_t kBlock = 512;
  uint16_t narrow[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    NarrowF16(As<float>(a) + i, nullptr, nullptr, narrow, n);
    WidenF16(narrow, nullptr, nullptr, As<float>(result) + i, n);
  }
}

TileLoop Widen(ElementType type) {
  if (IsByteFloat(type)) return GetByteFloatLoops(type).widen;
  return type == ElementType::kBf16 ? WidenBF16 : WidenF16;
}
TileLoop Narrow(ElementType type) {
  if (IsByteFloat(type)) return GetByteFloatLoops(type).narrow;
  return type == ElementType::kBf16 ? NarrowBF16 : NarrowF16;
}
TileLoop Round(ElementType type) {
  if (IsByteFloat(type)) return GetByteFloatLoops(type).round;
  return type == ElementType::kBf16 ? RoundBF16 : RoundF16;
}

BlockKernels AllKernels() {
  return {Elementwise, ExactElementwise, Compare, Select, Convert, Order, Widen, Narrow, Round};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const BlockKernels& GetBlockKernels() {
  static const BlockKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
