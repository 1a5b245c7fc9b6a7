// A look for infinities and NaN.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_ARE_FINITE_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_ARE_FINITE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/statusor.h"
#include "interp/kernel/array_view.h"
#include "interp/simd/base/parallel.h"
#include "ir/element_type.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

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

// Whether so many elements are finite, on all threads of the device. `are_finite` is called with
// the first of some of them and their number.
inline absl::StatusOr<bool> AreFiniteInParts(
    const DeviceContext& device, int64_t count,
    absl::FunctionRef<bool(int64_t begin, int64_t count)> are_finite) {
  constexpr int64_t kPart = int64_t{1} << 18;
  std::atomic<bool> result = true;
  HLO_RETURN_IF_ERROR(ForEachPart(device, CeilDiv(count, kPart), [&](int64_t part) {
    const int64_t begin = part * kPart;
    if (!are_finite(begin, std::min(kPart, count - begin))) result = false;
  }));
  return result.load();
}

// The same of an array of f32 or bf16.
inline absl::StatusOr<bool> AreFiniteInParts(const DeviceContext& device, const ArrayRef& array) {
  const int64_t element_size = ElementByteSize(array.element_type);
  return AreFiniteInParts(device, array.element_count(), [&](int64_t begin, int64_t count) {
    return AreFinite(array.element_type, array.bytes + begin * element_size, count);
  });
}

// The same of carriers.
template <typename T>
absl::StatusOr<bool> AreFiniteInParts(const DeviceContext& device, const T* elements,
                                      int64_t count) {
  if (!std::is_floating_point_v<T>) return true;
  return AreFiniteInParts(device, count, [&](int64_t begin, int64_t part_count) {
    return AreFinite(elements + begin, part_count);
  });
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_ARE_FINITE_H_
