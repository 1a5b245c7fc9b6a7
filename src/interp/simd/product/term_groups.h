// Terms of columns that lie side by side, joined as tiles hold them (tile_kernels.h), in the
// instruction set that this processor has.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_TERM_GROUPS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_TERM_GROUPS_H_

#include <cstdint>

namespace hlo::simd {

// The terms of a group share so many bytes.
inline constexpr int64_t kGroupByteSize = 4;
template <typename T>
inline constexpr int64_t kTermsOfGroup = kGroupByteSize / static_cast<int64_t>(sizeof(T));

// Groups of terms of tiles whose columns lie side by side.
template <typename T>
struct TermLines {
  const T* from;
  int64_t distance;  // from a term to the next
  int64_t group_count, tile_count;
};

// Tile t is made at `to` + t / 2 * panel_size, the second of a panel right behind the first:
// tile[group][column][i] = from[(group * n + i) * distance + 16 * t + column], n terms in a group.
template <typename T>
using JoinTerms = void (*)(const TermLines<T>& lines, T* to, int64_t panel_size);

// T: uint8_t, uint16_t.
template <typename T>
JoinTerms<T> GetJoinTerms();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_TERM_GROUPS_H_
