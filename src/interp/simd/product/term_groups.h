// Terms of columns that lie side by side, joined as tiles hold them (tile_kernels.h), in the
// instruction set that this processor has.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_TERM_GROUPS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_TERM_GROUPS_H_

#include <cstdint>

namespace hlo::simd {

// to[group][column][i] = from[(group * n + i) * distance + column] for the 16 columns of a tile,
// n = 4 / sizeof(T) terms in each group; `distance` is from a term to the next.
template <typename T>
using JoinTerms = void (*)(const T* from, int64_t distance, int64_t groups, T* to);

// T: uint8_t, uint16_t.
template <typename T>
JoinTerms<T> GetJoinTerms();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_TERM_GROUPS_H_
