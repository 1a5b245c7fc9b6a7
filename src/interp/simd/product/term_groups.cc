// A group is made as numbers of 32 bits, from the term in the lowest bits on.
#include "interp/simd/product/term_groups.h"

#include <bit>

#include "interp/simd/product/tile_kernels.h"

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/product/term_groups.cc"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(std::endian::native == std::endian::little);

template <typename T>
void Join(const T* from, int64_t distance, int64_t groups, T* to) {
  constexpr int64_t kGroup = 4 / static_cast<int64_t>(sizeof(T));
  constexpr int kBits = 8 * sizeof(T);
  const hn::CappedTag<uint32_t, kTileLines> tag;
  const hn::Rebind<T, decltype(tag)> narrow;
  const auto lanes = static_cast<int64_t>(hn::Lanes(tag));
  const auto load = [&](const T* term)
                        HWY_ATTR { return hn::PromoteTo(tag, hn::LoadU(narrow, term)); };
  auto* out = reinterpret_cast<uint32_t*>(to);
  for (int64_t g = 0; g < groups; ++g, from += kGroup * distance, out += kTileLines) {
    for (int64_t c = 0; c < kTileLines; c += lanes) {
      const T* term = from + c;
      auto joined = hn::Or(load(term), hn::ShiftLeft<kBits>(load(term + distance)));
      if constexpr (kGroup == 4) {
        const auto third = hn::ShiftLeft<2 * kBits>(load(term + 2 * distance));
        const auto fourth = hn::ShiftLeft<3 * kBits>(load(term + 3 * distance));
        joined = hn::Or(joined, hn::Or(third, fourth));
      }
      hn::StoreU(joined, tag, out + c);
    }
  }
}

JoinTerms<uint8_t> Join8() { return Join<uint8_t>; }
JoinTerms<uint16_t> Join16() { return Join<uint16_t>; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(Join8);
HWY_EXPORT(Join16);

template <>
JoinTerms<uint8_t> GetJoinTerms<uint8_t>() {
  return HWY_DYNAMIC_DISPATCH(Join8)();
}
template <>
JoinTerms<uint16_t> GetJoinTerms<uint16_t>() {
  return HWY_DYNAMIC_DISPATCH(Join16)();
}

}  // namespace hlo::simd
#endif  // HWY_ONCE
