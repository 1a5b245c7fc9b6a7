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

// One group of so many tiles of a panel.
template <int kTiles, typename T>
HWY_INLINE void JoinTiles(const T* from, int64_t distance, T* to) {
  constexpr int64_t kTileSize = kTileByteSize / static_cast<int64_t>(sizeof(T));
  constexpr int kBits = 8 * sizeof(T);
  const hn::CappedTag<uint32_t, kTileLines> tag;
  const hn::Rebind<T, decltype(tag)> narrow;
  const auto lanes = static_cast<int64_t>(hn::Lanes(tag));
  const auto load = [&](const T* term)
                        HWY_ATTR { return hn::PromoteTo(tag, hn::LoadU(narrow, term)); };
  for (int tile = 0; tile < kTiles; ++tile) {
    auto* out = reinterpret_cast<uint32_t*>(to + tile * kTileSize);
    for (int64_t c = 0; c < kTileLines; c += lanes) {
      const T* term = from + tile * kTileLines + c;
      auto joined = hn::Or(load(term), hn::ShiftLeft<kBits>(load(term + distance)));
      if constexpr (kTermsOfGroup<T> == 4) {
        const auto third = hn::ShiftLeft<2 * kBits>(load(term + 2 * distance));
        const auto fourth = hn::ShiftLeft<3 * kBits>(load(term + 3 * distance));
        joined = hn::Or(joined, hn::Or(third, fourth));
      }
      hn::StoreU(joined, tag, out + c);
    }
  }
}

// Terms are read as far as tiles go, one group after the other, as memory gives them fastest. The
// caches are asked for the next group, which is new lines.
template <typename T>
void Join(const TermLines<T>& lines, T* to, int64_t panel_size) {
  constexpr int64_t kTerms = kTermsOfGroup<T>;
  const int64_t distance = lines.distance, group_count = lines.group_count;
  const int64_t panel_count = lines.tile_count / 2;
  const T* group = lines.from;
  for (int64_t g = 0; g < group_count; ++g, group += kTerms * distance) {
    const T* from = group;
    T* out = to + g * kTileLines * kTerms;
    for (int64_t p = 0; p < panel_count; ++p, from += kPanelLines, out += panel_size) {
      for (int64_t k = kTerms; k < 2 * kTerms; ++k) __builtin_prefetch(from + k * distance, 0, 2);
      JoinTiles<2>(from, distance, out);
    }
    if (lines.tile_count % 2 != 0) JoinTiles<1>(from, distance, out);
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
