// A look for infinities and NaN.
#ifndef HLOKIT_INTERP_SIMD_ARE_FINITE_H_
#define HLOKIT_INTERP_SIMD_ARE_FINITE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ir/element_type.h"

namespace hlo::simd {

// Whether 0 times each element is 0.
template <typename T>
bool AreFinite(const T* elements, int64_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr int64_t kLanes = 16;
    T sums[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += elements[i + lane] * 0;
    }
    for (; i < count; ++i) sums[0] += elements[i] * 0;
    return std::ranges::all_of(sums, [](T sum) { return sum == 0; });
  }
  return true;
}

// The same of bf16, by their bits.
inline bool AreFiniteBf16(const uint16_t* elements, int64_t count) {
  constexpr uint16_t kExponent = 0x7f80;
  constexpr int64_t kLanes = 32;
  uint16_t others[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      others[lane] |= (elements[i + lane] & kExponent) == kExponent ? 1 : 0;
    }
  }
  for (; i < count; ++i) others[0] |= (elements[i] & kExponent) == kExponent ? 1 : 0;
  return std::ranges::none_of(others, [](uint16_t other) { return other != 0; });
}

// The same of f32 and bf16.
inline bool AreFinite(ElementType type, const std::byte* elements, int64_t count) {
  return type == ElementType::kBf16
             ? AreFiniteBf16(reinterpret_cast<const uint16_t*>(elements), count)
             : AreFinite(reinterpret_cast<const float*>(elements), count);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_ARE_FINITE_H_
