// Integers narrower than a byte lie each in one: all types are bytes or pairs of them, with a range
// that their width says. Loops are short enough for the compiler to make vectors of.
#include "interp/simd/product/saturated_sums.h"

#include <algorithm>
#include <type_traits>

#include "interp/simd/loops/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/product/saturated_sums.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

template <typename Sum, typename To>
void Saturate(const std::byte* from, int bit_width, std::byte* to, int64_t count) {
  constexpr bool kIsSigned = std::is_signed_v<Sum>;
  const Sum max = (Sum{1} << (kIsSigned ? bit_width - 1 : bit_width)) - 1;
  const Sum min = kIsSigned ? -max - 1 : 0;
  const Sum* sums = As<Sum>(from);
  To* elements = As<To>(to);
  ForEachElement(count, [&](int64_t i) {
    elements[i] = static_cast<To>(std::min(std::max(sums[i], min), max));
  });
}

template <typename To>
void SaturateSums(bool is_wide, const std::byte* from, int bit_width, std::byte* to,
                  int64_t count) {
  using Narrow = std::conditional_t<std::is_signed_v<To>, int32_t, uint32_t>;
  using Wide = std::conditional_t<std::is_signed_v<To>, int64_t, uint64_t>;
  is_wide ? Saturate<Wide, To>(from, bit_width, to, count)
          : Saturate<Narrow, To>(from, bit_width, to, count);
}

void Store(ElementType carrier, const std::byte* from, ElementType type, std::byte* to,
           int64_t count) {
  using Saturates = void (*)(bool, const std::byte*, int, std::byte*, int64_t);
  const bool is_byte = ElementByteSize(type) == 1;
  const Saturates saturate_signed = is_byte ? SaturateSums<int8_t> : SaturateSums<int16_t>;
  const Saturates saturate_unsigned = is_byte ? SaturateSums<uint8_t> : SaturateSums<uint16_t>;
  const Saturates saturate = IsSigned(type) ? saturate_signed : saturate_unsigned;
  saturate(BitWidth(carrier) == 64, from, BitWidth(type), to, count);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(Store);

void StoreSaturated(ElementType carrier, const std::byte* from, ElementType type, std::byte* to,
                    int64_t count) {
  HWY_DYNAMIC_DISPATCH(Store)(carrier, from, type, to, count);
}

}  // namespace hlo::simd
#endif
