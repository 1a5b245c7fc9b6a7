// Codes and f32 as integers, without branches, in loops that the compiler makes vectors of. The
// meaning is narrow_float.h's.
//
// A code's magnitude, moved to where f32 has exponent and mantissa, lacks the difference of the
// biases; that of a subnormal is the number in units of its last bit. The other way subnormals are
// rounded by an addition to a number whose last bit is worth as much as theirs, all others as bf16
// is: half a unit less one, or half a unit if the last bit that stays is set, and the rest cut off.
// Powers of two alone (f8e8m0fnu) are a case of their own.
#include "interp/simd/loops/byte_floats.h"

#include <bit>

#include "support/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/byte_floats.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/vector/independent.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

constexpr uint32_t kInfinity = 0x7f800000, kQuietNaN = 0x7fc00000, kMagnitude = 0x7fffffff,
                   kMantissaBit = 0x00800000;
constexpr uint64_t kInfinity64 = 0x7ff0000000000000, kMagnitude64 = 0x7fffffffffffffff;

constexpr float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(127 + exponent) << 23);
}

// By masks: compilers make branches of other choices, and no vectors of these.
inline uint32_t Choose(bool takes_first, uint32_t a, uint32_t b) {
  const uint32_t mask = -static_cast<uint32_t>(takes_first);
  return (a & mask) | (b & ~mask);
}

// Powers of two: the code is f32's exponent, but that the least of them is a subnormal there.
float WidenedPower(uint8_t code) {
  const uint32_t bits = Choose(code == 0, kMantissaBit >> 1, uint32_t{code} << 23);
  return std::bit_cast<float>(Choose(code == 0xff, kQuietNaN, bits));
}
// Ties go up, what has no code becomes the NaN.
uint8_t NarrowedPower(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t normal = (bits + (kMantissaBit >> 1)) >> 23;
  const auto subnormal = static_cast<uint32_t>(bits >= kMantissaBit / 4 * 3);
  const uint32_t code = Choose(bits < kMantissaBit, subnormal, normal);
  const bool is_positive =
      bits - 1 < kInfinity - 1;  // and finite: neither the sign nor 0 gets here
  return static_cast<uint8_t>(Choose(is_positive, code, 0xff));
}

template <FloatFormat kFormat>
float Widened(uint8_t code) {
  if constexpr (kFormat.kind == FloatKind::kExponentOnly) return WidenedPower(code);
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  const uint32_t magnitude = code & kFormat.magnitude_mask();
  const uint32_t sign = static_cast<uint32_t>(code & kFormat.sign_bit())
                        << (32 - kFormat.bit_width);
  constexpr uint32_t kRebase = static_cast<uint32_t>(127 - kFormat.bias) << 23;
  constexpr float kLastBit = PowerOfTwo(1 - kFormat.bias - kFormat.mantissa_bits);
  const auto subnormal =
      std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * kLastBit);
  const bool is_subnormal = magnitude < 1u << kFormat.mantissa_bits;
  const uint32_t bits = Choose(is_subnormal, subnormal, (magnitude << kShift) + kRebase) | sign;
  if constexpr (kFormat.kind == FloatKind::kFinite) {
    return std::bit_cast<float>(bits);
  } else if constexpr (kFormat.kind == FloatKind::kFnuz) {
    return std::bit_cast<float>(Choose(code == kFormat.sign_bit(), kQuietNaN, bits));
  } else {
    const bool is_infinite = kFormat.kind == FloatKind::kIeee && magnitude == kFormat.infinity();
    const uint32_t special = Choose(is_infinite, kInfinity, kQuietNaN) | sign;
    return std::bit_cast<float>(Choose(magnitude > kFormat.max_finite(), special, bits));
  }
}

// What is too large, without its sign.
template <FloatFormat kFormat>
constexpr uint32_t kTooLarge = kFormat.kind == FloatKind::kIeee     ? kFormat.infinity()
                               : kFormat.kind == FloatKind::kFinite ? kFormat.max_finite()
                                                                    : kFormat.nan(false);

template <FloatFormat kFormat>
uint8_t Narrowed(float x) {
  if constexpr (kFormat.kind == FloatKind::kExponentOnly) return NarrowedPower(x);
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  constexpr uint32_t kBias = static_cast<uint32_t>(127 - kFormat.bias) << kFormat.mantissa_bits;
  constexpr int kLastBit = 1 - kFormat.bias - kFormat.mantissa_bits;  // of a subnormal
  constexpr float kSubnormalSum = PowerOfTwo(23 + kLastBit);
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & kMagnitude;
  const uint32_t half = (1u << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1);
  const uint32_t normal = ((magnitude + half) >> kShift) - kBias;
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + kSubnormalSum) -
      std::bit_cast<uint32_t>(kSubnormalSum);
  constexpr uint32_t kLeastNormal = std::bit_cast<uint32_t>(PowerOfTwo(1 - kFormat.bias));
  const uint32_t number = Choose(magnitude < kLeastNormal, subnormal, normal);
  uint32_t code = Choose(number > kFormat.max_finite(), kTooLarge<kFormat>, number);
  uint32_t sign = bits >> (32 - kFormat.bit_width) & kFormat.sign_bit();
  // No -0 is left for it, and NaN has no sign.
  if constexpr (kFormat.kind == FloatKind::kFnuz) sign = Choose(code == 0, 0, sign);
  code |= sign;
  const uint32_t nan = Choose(sign != 0, kFormat.nan(true), kFormat.nan(false));
  return static_cast<uint8_t>(Choose(magnitude > kInfinity, nan, code));
}

template <FloatFormat kFormat>
void Widen(const void* a, const void*, const void*, void* result, int64_t count) {
  const auto* from = static_cast<const uint8_t*>(a);
  auto* to = static_cast<float*>(result);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = Widened<kFormat>(from[i]);
}
template <FloatFormat kFormat>
void Narrow(const void* a, const void*, const void*, void* result, int64_t count) {
  const auto* from = static_cast<const float*>(a);
  auto* to = static_cast<uint8_t*>(result);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = Narrowed<kFormat>(from[i]);
}
template <FloatFormat kFormat>
void Round(const void* a, const void*, const void*, void* result, int64_t count) {
  const auto* from = static_cast<const float*>(a);
  auto* to = static_cast<float*>(result);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = Widened<kFormat>(Narrowed<kFormat>(from[i]));
}

// Of the two neighbours in f32 the one whose last bit is set: what is rounded again, to at least
// two bits less, is as if it had been rounded once. Powers of two are no different (kExponentOnly).
float RoundedToOdd(double x) {
  const auto near = static_cast<float>(x);
  const uint64_t magnitude = std::bit_cast<uint64_t>(x) & kMagnitude64;
  const uint64_t back = std::bit_cast<uint64_t>(static_cast<double>(near)) & kMagnitude64;
  const uint32_t bits = std::bit_cast<uint32_t>(near);
  const uint32_t odd = (bits - static_cast<uint32_t>(back > magnitude)) | 1;
  const bool is_exact = back == magnitude || magnitude > kInfinity64;
  return std::bit_cast<float>(Choose(is_exact, bits, odd));
}
template <FloatFormat kFormat>
void RoundF64(const void* a, const void*, const void*, void* result, int64_t count) {
  const auto* from = static_cast<const double*>(a);
  auto* to = static_cast<float*>(result);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Widened<kFormat>(Narrowed<kFormat>(RoundedToOdd(from[i])));
  }
}

template <FloatFormat kFormat>
constexpr ByteFloatLoops kLoops = {Widen<kFormat>, Narrow<kFormat>, Round<kFormat>,
                                   RoundF64<kFormat>};

template <FloatFormat kFormat>
const ByteFloatLoops* LoopsOfFormat() {
  if constexpr (IsByteFloat(kFormat)) {
    return &kLoops<kFormat>;
  } else {
    return nullptr;
  }
}

const ByteFloatLoops* LoopsOf(ElementType type) {
  switch (type) {
#define HLO_FLOAT_TYPE(Name, ...) \
  case ElementType::k##Name:      \
    return LoopsOfFormat<k##Name##Format>();
#include "ir/element_types.def"
    default:  // no floats
      return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(LoopsOf);

const ByteFloatLoops& GetByteFloatLoops(ElementType type) {
  const ByteFloatLoops* const loops = HWY_DYNAMIC_DISPATCH(LoopsOf)(type);
  HLO_CHECK(loops != nullptr);
  return *loops;
}

}  // namespace hlo::simd
#endif
