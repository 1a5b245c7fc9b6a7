// Every element is widened exactly to one of four carriers (s64, u64, f32, f64) and narrowed from
// there: 4 x 30 loops instead of 30 x 30, and the double roundings of semantics.md 1.3 come by
// themselves (integers reach narrow floats through f32). Complex numbers convert part by part.
#include "ir/element_conversion.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "ir/element_traits.h"

namespace hlo {
namespace {

constexpr TypeSet kReal = kPred | kInteger | kFloat;
// Elements converted at a time through a buffer that stays in the cache.
constexpr int64_t kBlockSize = 1024;

// The formats that have a sign and fit the bit arithmetic below: not e8m0.
template <typename T>
concept SignedNarrowFloat = (kTypeClassOf<T> & kFloat) != 0 &&
                            !std::floating_point<T> && T::kFormat.kind != FloatKind::kExponentOnly;

// f16 without branches, for loops over arrays: a subnormal is its code times 2^-24; other
// exponents are rebased in place, those of infinities and NaN twice.
constexpr float WidenHalf(F16 x) {
  const uint32_t magnitude = x.bits() & 0x7fff;
  constexpr uint32_t kRebase = 112u << 23;
  uint32_t bits = (magnitude << 13) + kRebase;
  if (magnitude >= 0x7c00) bits += kRebase;
  const uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  const uint32_t sign = static_cast<uint32_t>(x.bits() & 0x8000) << 16;
  return std::bit_cast<float>((magnitude < 0x0400 ? subnormal : bits) | sign);
}

// The rounding of semantics.md 1.3 from f32, without branches. A number in the normal range of the
// format is rounded in the integer that holds it, the carry raising the exponent; below, adding
// a number whose last bit is the format's smallest step rounds to that step.
template <SignedNarrowFloat T>
constexpr T RoundFromFloat(float x) {
  constexpr FloatFormat kFormat = T::kFormat;
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  constexpr uint32_t kSmallestNormal = static_cast<uint32_t>(128 - kFormat.bias) << 23;
  constexpr uint32_t kRebase = static_cast<uint32_t>(127 - kFormat.bias) << kFormat.mantissa_bits;
  constexpr uint32_t kStepBits = static_cast<uint32_t>(128 - kFormat.bias + kShift) << 23;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t rounded = magnitude + ((magnitude >> kShift) & 1) + ((1u << (kShift - 1)) - 1);
  const uint32_t normal = (rounded >> kShift) - kRebase;
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(kStepBits)) -
      kStepBits;
  uint32_t code = magnitude < kSmallestNormal ? subnormal : normal;
  uint32_t sign = bits >> 31 << (kFormat.bit_width - 1);
  constexpr uint32_t kOverflow = kFormat.kind == FloatKind::kIeee     ? kFormat.infinity()
                                 : kFormat.kind == FloatKind::kFinite ? kFormat.max_finite()
                                                                      : kFormat.nan(false);
  code = code > kFormat.max_finite() ? kOverflow : code;
  if constexpr (kFormat.kind == FloatKind::kFnuz) {
    // No -0, and the NaN is one code whatever the sign.
    sign = code == 0 || code == kOverflow ? 0 : sign;
  }
  const uint32_t nan = kFormat.nan(bits >> 31);
  code = magnitude > 0x7f800000 ? nan : code | sign;
  return T::FromBits(static_cast<typename T::Bits>(code));
}

// The same for bf16, which has the exponents of f32: subnormals need no care.
constexpr Bf16 RoundToBf16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
  return Bf16::FromBits(static_cast<Bf16::Bits>(is_nan ? Bf16::kFormat.nan(bits >> 31) : rounded));
}

template <typename T>
constexpr auto Widen(T x) {
  if constexpr (PredElement<T>) {
    return static_cast<uint64_t>(x);
  } else if constexpr (IntegerElement<T>) {
    return static_cast<std::conditional_t<kIsSigned<T>, int64_t, uint64_t>>(NativeValue(x));
  } else if constexpr (std::same_as<T, double>) {
    return x;
  } else if constexpr (std::same_as<T, F16>) {
    return WidenHalf(x);
  } else {
    return static_cast<float>(x);
  }
}
template <typename T>
using Carrier = decltype(Widen(T()));

// Truncation toward zero, saturation, NaN gives 0. The limits are compared as f64: 2^63 is the
// largest s64 there (semantics.md 2).
template <typename T>
T TruncateToInteger(double x) {
  using Traits = IntegerTraits<T>;
  if (x != x) return T(0);
  if (x >= static_cast<double>(Traits::kMax)) return T(Traits::kMax);
  if (x <= static_cast<double>(Traits::kMin)) return T(Traits::kMin);
  return T(static_cast<typename Traits::Native>(x));
}

template <typename To, typename From>
To Narrow(From x) {
  if constexpr (PredElement<To>) {
    return x != 0;
  } else if constexpr (IntegerElement<To>) {
    if constexpr (std::integral<From>) {
      return To(x);
    } else {
      return TruncateToInteger<To>(x);
    }
  } else if constexpr (std::same_as<To, Bf16> && std::same_as<From, float>) {
    return RoundToBf16(x);
  } else if constexpr (SignedNarrowFloat<To> && std::same_as<From, float>) {
    return RoundFromFloat<To>(x);
  } else {
    return To(x);
  }
}

ElementType CarrierType(ElementType type) {
  return DispatchElementType<kReal>(type, []<typename T>() { return kElementTypeOf<Carrier<T>>; });
}

template <typename From, typename To, typename Function>
void Transform(const std::byte* from, std::byte* to, int64_t count, Function function) {
  const From* source = reinterpret_cast<const From*>(from);
  To* target = reinterpret_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) target[i] = function(source[i]);
}

// `to` takes carriers of `type`.
void WidenElements(ElementType type, const std::byte* from, std::byte* to, int64_t count) {
  DispatchElementType<kReal>(type, [&]<typename T>() {
    Transform<T, Carrier<T>>(from, to, count, [](T x) { return Widen(x); });
  });
}

template <typename From>
void NarrowElements(const std::byte* from, ElementType to_type, std::byte* to, int64_t count) {
  DispatchElementType<kReal>(to_type, [&]<typename To>() {
    Transform<From, To>(from, to, count, [](From x) { return Narrow<To>(x); });
  });
}

void NarrowElements(ElementType carrier, const std::byte* from, ElementType to_type, std::byte* to,
                    int64_t count) {
  if (carrier == ElementType::kF32) return NarrowElements<float>(from, to_type, to, count);
  if (carrier == ElementType::kF64) return NarrowElements<double>(from, to_type, to, count);
  if (carrier == ElementType::kS64) return NarrowElements<int64_t>(from, to_type, to, count);
  NarrowElements<uint64_t>(from, to_type, to, count);
}

bool KeepsBits(ElementType from, ElementType to) {
  return from == to ||
         (IsInteger(from) && IsInteger(to) && BitWidth(from) == BitWidth(to) && BitWidth(to) >= 8);
}

void ConvertReals(ElementType from_type, const std::byte* from, ElementType to_type, std::byte* to,
                  int64_t count) {
  if (KeepsBits(from_type, to_type)) {
    if (count > 0) std::memmove(to, from, count * ElementByteSize(to_type));
    return;
  }
  const ElementType carrier = CarrierType(from_type);
  if (from_type == carrier) return NarrowElements(carrier, from, to_type, to, count);
  if (to_type == carrier) return WidenElements(from_type, from, to, count);
  alignas(64) std::byte block[kBlockSize * sizeof(uint64_t)];
  for (int64_t begin = 0; begin < count; begin += kBlockSize) {
    const int64_t size = std::min(kBlockSize, count - begin);
    WidenElements(from_type, from + begin * ElementByteSize(from_type), block, size);
    NarrowElements(carrier, block, to_type, to + begin * ElementByteSize(to_type), size);
  }
}

// The parts of type Part stand `from_stride` and `to_stride` apart.
template <typename Part>
void CopyStrided(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
                 int64_t count) {
  const Part* source = reinterpret_cast<const Part*>(from);
  Part* target = reinterpret_cast<Part*>(to);
  for (int64_t i = 0; i < count; ++i) target[i * to_stride] = source[i * from_stride];
}

void CopyParts(ElementType part, const std::byte* from, int64_t from_stride, std::byte* to,
               int64_t to_stride, int64_t count) {
  if (part == ElementType::kF32) {
    CopyStrided<float>(from, from_stride, to, to_stride, count);
  } else {
    CopyStrided<double>(from, from_stride, to, to_stride, count);
  }
}

void RealToComplex(ElementType from_type, const std::byte* from, ElementType to_type, std::byte* to,
                   int64_t count) {
  const ElementType part = ComponentType(to_type);
  alignas(64) std::byte block[kBlockSize * sizeof(double)];
  for (int64_t begin = 0; begin < count; begin += kBlockSize) {
    const int64_t size = std::min(kBlockSize, count - begin);
    ConvertReals(from_type, from + begin * ElementByteSize(from_type), part, block, size);
    std::byte* target = to + begin * ElementByteSize(to_type);
    std::memset(target, 0, size * ElementByteSize(to_type));
    CopyParts(part, block, 1, target, 2, size);
  }
}

void ComplexToReal(ElementType from_type, const std::byte* from, ElementType to_type, std::byte* to,
                   int64_t count) {
  const ElementType part = ComponentType(from_type);
  alignas(64) std::byte block[kBlockSize * sizeof(double)];
  for (int64_t begin = 0; begin < count; begin += kBlockSize) {
    const int64_t size = std::min(kBlockSize, count - begin);
    CopyParts(part, from + begin * ElementByteSize(from_type), 2, block, 1, size);
    ConvertReals(part, block, to_type, to + begin * ElementByteSize(to_type), size);
  }
}

}  // namespace

void ConvertElements(ElementType from_type, const std::byte* from, ElementType to_type,
                     std::byte* to, int64_t count) {
  if (IsComplex(from_type) && IsComplex(to_type)) {
    return ConvertReals(ComponentType(from_type), from, ComponentType(to_type), to, 2 * count);
  }
  if (IsComplex(to_type)) return RealToComplex(from_type, from, to_type, to, count);
  if (IsComplex(from_type)) return ComplexToReal(from_type, from, to_type, to, count);
  ConvertReals(from_type, from, to_type, to, count);
}

}  // namespace hlo
