// Codes and f32 as integers, without branches, in loops that the compiler makes vectors of. The
// meaning is narrow_float.h's.
//
// A code's magnitude, moved to where f32 has exponent and mantissa, is the number times a power of
// two, also of a subnormal. The other way subnormals are rounded by an addition to a number whose
// last bit is worth as much as theirs, all others as bf16 is: half a unit less one, or half a unit
// if the last bit that stays is set, and the rest cut off.
#include "interp/simd/byte_floats.h"

#include <bit>

#include "support/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/byte_floats.cc"
#include "interp/simd/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/independent.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

constexpr uint32_t kInfinity = 0x7f800000, kQuietNaN = 0x7fc00000, kMagnitude = 0x7fffffff;

constexpr float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(127 + exponent) << 23);
}

template <FloatFormat kFormat>
float Widened(uint8_t code) {
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  const uint32_t magnitude = code & kFormat.magnitude_mask();
  const float number = std::bit_cast<float>(magnitude << kShift) * PowerOfTwo(127 - kFormat.bias);
  const bool is_infinite = kFormat.kind == FloatKind::kIeee && magnitude == kFormat.infinity();
  const uint32_t special = is_infinite ? kInfinity : kQuietNaN;
  const uint32_t bits =
      magnitude > kFormat.max_finite() ? special : std::bit_cast<uint32_t>(number);
  return std::bit_cast<float>(bits | static_cast<uint32_t>(code & kFormat.sign_bit()) << 24);
}

template <FloatFormat kFormat>
uint8_t Narrowed(float x) {
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
  uint32_t code = magnitude < kLeastNormal ? subnormal : normal;
  constexpr uint32_t kNaN = kFormat.nan(/*negative=*/false);
  constexpr uint32_t kTooLarge = kFormat.kind == FloatKind::kIeee ? kFormat.infinity() : kNaN;
  code = code > kFormat.max_finite() ? kTooLarge : code;
  code = magnitude > kInfinity ? kNaN : code;
  return static_cast<uint8_t>(code | (bits >> 24 & kFormat.sign_bit()));
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

template <FloatFormat kFormat>
constexpr ByteFloatLoops kLoops = {Widen<kFormat>, Narrow<kFormat>, Round<kFormat>};

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
