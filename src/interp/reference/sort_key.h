// Numbers that order as elements do: what sort and topk compare.
#ifndef HLOKIT_INTERP_REFERENCE_SORT_KEY_H_
#define HLOKIT_INTERP_REFERENCE_SORT_KEY_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ir/element_type.h"

namespace hlo::reference {

// The integer that orders as the total order of floats does (semantics.md 4.2): -NaN < -Inf < ...
// < -0 < +0 < ... < +Inf < +NaN.
template <typename T>
int64_t TotalOrderKey(T x) {
  if constexpr (std::is_same_v<T, double>) {
    const int64_t bits = std::bit_cast<int64_t>(x);
    return bits < 0 ? ~(bits & INT64_MAX) : bits;
  } else if constexpr (std::is_same_v<T, float>) {
    const int32_t bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? ~(bits & INT32_MAX) : bits;
  } else {
    constexpr FloatFormat kFormat = T::kFormat;
    const int64_t magnitude = x.bits() & kFormat.magnitude_mask();
    if ((x.bits() & kFormat.sign_bit()) == 0) return magnitude;
    // Without -0 the negative numbers move up by one, and the one NaN comes lowest.
    if (kFormat.kind == FloatKind::kFnuz) return ~((magnitude - 1) & kFormat.magnitude_mask());
    return ~magnitude;
  }
}

// A wider value that compares as `x` does: IEEE comparison for floats.
template <typename T>
auto ValueKey(T x) {
  if constexpr (kTypeClassOf<T> == kFloat) {
    if constexpr (sizeof(T) < 4)
      return static_cast<double>(static_cast<float>(x));
    else
      return static_cast<double>(x);
  } else if constexpr (kTypeClassOf<T> == kSigned) {
    return static_cast<int64_t>(x);
  } else {
    return static_cast<uint64_t>(x);
  }
}

// ValueKey, with floats in their total order.
template <typename T>
auto TotalKey(T x) {
  if constexpr (kTypeClassOf<T> == kFloat) {
    return TotalOrderKey(x);
  } else {
    return ValueKey(x);
  }
}

// TotalKey, with all zeros as one value and all NaNs as one above the others.
template <typename T>
auto CanonicalKey(T x) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    using Bits = std::conditional_t<std::is_same_v<T, double>, int64_t, int32_t>;
    return x != x ? int64_t{std::numeric_limits<Bits>::max()} : x == 0 ? 0 : TotalOrderKey(x);
  } else if constexpr (kTypeClassOf<T> == kFloat) {
    if (x != x) return int64_t{T::kFormat.magnitude_mask()};
    return static_cast<float>(x) == 0 ? 0 : TotalOrderKey(x);
  } else {
    return ValueKey(x);
  }
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SORT_KEY_H_
