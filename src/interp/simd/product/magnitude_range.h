// The smallest and largest magnitudes in an array: what tells whether products of its elements stay
// among the numbers that have all their bits.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_MAGNITUDE_RANGE_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_MAGNITUDE_RANGE_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>

#include "absl/status/statusor.h"
#include "interp/simd/base/parallel.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {

// Exponents of 2, of elements that are not zero; infinities and NaN have that of T's infinity.
template <typename T>
struct MagnitudeRange {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

  int least = std::numeric_limits<int>::max();
  int most = std::numeric_limits<int>::min();

  bool is_empty() const { return least > most; }
  bool IsNormal() const {
    using Limits = std::numeric_limits<T>;
    return is_empty() || (least >= Limits::min_exponent - 1 && most < Limits::max_exponent);
  }
  // Of what elements of both make; one more for the product of what lies behind the exponents.
  friend MagnitudeRange operator*(const MagnitudeRange& a, const MagnitudeRange& b) {
    if (a.is_empty() || b.is_empty()) return {};
    return {a.least + b.least, a.most + b.most + 1};
  }

  void Join(const MagnitudeRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }

  static MagnitudeRange Of(const T* elements, int64_t count) {
    constexpr Bits kMagnitude = ~Bits{0} >> 1;
    Bits least = ~Bits{0}, most = 0;  // less 1: zeros are the largest
    for (int64_t i = 0; i < count; ++i) {
      const Bits bits = std::bit_cast<Bits>(elements[i]) & kMagnitude;
      least = std::min(least, bits - 1);
      most = std::max(most, bits);
    }
    if (most == 0) return {};
    return {ExponentOf(least + 1), ExponentOf(most)};
  }

 private:
  static int ExponentOf(Bits bits) {
    const T x = std::bit_cast<T>(bits);
    return std::isfinite(x) ? std::ilogb(x) : std::numeric_limits<T>::max_exponent;
  }
};

// That of `count` elements, on all threads of the device.
template <typename T>
absl::StatusOr<MagnitudeRange<T>> RangeOf(const DeviceContext& device, const T* elements,
                                          int64_t count) {
  constexpr int64_t kPart = int64_t{1} << 18;
  MagnitudeRange<T> range;
  std::mutex mutex;
  HLO_RETURN_IF_ERROR(ForEachPart(device, CeilDiv(count, kPart), [&](int64_t part) {
    const int64_t begin = part * kPart;
    const auto own = MagnitudeRange<T>::Of(elements + begin, std::min(kPart, count - begin));
    const std::lock_guard lock(mutex);
    range.Join(own);
  }));
  return range;
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_MAGNITUDE_RANGE_H_
