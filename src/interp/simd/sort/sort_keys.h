// Unsigned integers that order as elements do, of whom sorts and top-k see nothing else.
#ifndef HLOKIT_INTERP_SIMD_SORT_SORT_KEYS_H_
#define HLOKIT_INTERP_SIMD_SORT_SORT_KEYS_H_

#include <bit>
#include <cstdint>
#include <type_traits>

#include "interp/reference/sort_key.h"
#include "ir/element_traits.h"

namespace hlo::simd {

// As wide as T, but 16 bits at least.
template <typename T>
using SortKey = std::conditional_t<(sizeof(T) > 4), uint64_t,
                                   std::conditional_t<(sizeof(T) > 2), uint32_t, uint16_t>>;

template <typename T>
inline constexpr SortKey<T> kKeySign = SortKey<T>{1} << (8 * sizeof(SortKey<T>) - 1);

// Whether T is a float of IEEE 754, and whether its key has all of an element's bits.
template <typename T>
inline constexpr bool kIsIeee = std::is_same_v<T, double> || std::is_same_v<T, float> ||
                                std::is_same_v<T, Bf16> || std::is_same_v<T, F16>;
template <typename T>
inline constexpr bool kHasElementOfKey = kIsIeee<T> ||
                                         (std::is_integral_v<T> && sizeof(T) == sizeof(SortKey<T>));

template <typename T>
constexpr SortKey<T> InfinityBits() {
  if constexpr (std::is_same_v<T, double>) return uint64_t{0x7ff} << 52;
  if constexpr (std::is_same_v<T, float>) return uint32_t{0xff} << 23;
  if constexpr (std::is_same_v<T, Bf16>) return 0x7f80;
  if constexpr (std::is_same_v<T, F16>) return 0x7c00;
  return 0;
}

// The key of the IEEE float that has these bits: see SortKeyOf. By masks rather than conditions, of
// which compilers make better vectors.
template <typename T, bool kMerged>
SortKey<T> SortKeyOfBits(SortKey<T> bits) {
  using Key = SortKey<T>;
  constexpr Key kSign = kKeySign<T>;
  if constexpr (kMerged) {
    const auto magnitude = static_cast<Key>(bits & ~kSign);
    const auto number = static_cast<Key>(magnitude != 0 ? ~Key{0} : Key{0});
    const auto nan = static_cast<Key>(magnitude > InfinityBits<T>() ? ~Key{0} : Key{0});
    bits = static_cast<Key>(((bits & number) | nan) & ~(nan & kSign));
  }
  const auto negative =
      static_cast<Key>(static_cast<std::make_signed_t<Key>>(bits) >> (8 * sizeof(Key) - 1));
  return static_cast<Key>(bits ^ (negative | kSign));
}

// The key of `x`: of floats in their total order (semantics.md 4.2), or, merged, with all zeros as
// one value and all NaNs as one above the others.
template <typename T, bool kMerged>
SortKey<T> SortKeyOf(T x) {
  using Key = SortKey<T>;
  if constexpr (kIsIeee<T>) {
    return SortKeyOfBits<T, kMerged>(std::bit_cast<Key>(x));
  } else if constexpr (kTypeClassOf<T> == kFloat) {
    using Signed = std::make_signed_t<Key>;
    const int64_t key = kMerged ? reference::CanonicalKey(x) : reference::TotalOrderKey(x);
    return static_cast<Key>(static_cast<Key>(static_cast<Signed>(key)) ^ kKeySign<T>);
  } else if constexpr (kTypeClassOf<T> == kSigned) {
    using Signed = std::make_signed_t<Key>;
    return static_cast<Key>(static_cast<Key>(static_cast<Signed>(x)) ^ kKeySign<T>);
  } else {
    return static_cast<Key>(x);
  }
}

// The element whose key is `key`; of zeros that are one +0, of NaNs that are one a positive one.
template <typename T>
T ElementOfKey(SortKey<T> key) {
  static_assert(kHasElementOfKey<T>);
  using Key = SortKey<T>;
  constexpr Key kSign = kKeySign<T>;
  if constexpr (kIsIeee<T>) {
    return std::bit_cast<T>(
        static_cast<Key>(key ^ ((key & kSign) != 0 ? kSign : static_cast<Key>(~Key{0}))));
  } else if constexpr (kTypeClassOf<T> == kSigned) {
    return static_cast<T>(static_cast<Key>(key ^ kSign));
  } else {
    return static_cast<T>(key);
  }
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_SORT_KEYS_H_
