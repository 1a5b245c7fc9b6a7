// Square pieces of transposes, in the instruction set that this processor has.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_TURN_TILE_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_TURN_TILE_H_

#include <cstdint>

namespace hlo::simd {

// Elements each way of what TurnTile takes at most: some cache lines.
template <typename T>
inline constexpr int64_t kTurnTile = sizeof(T) == 8 ? 64 : 256 / sizeof(T);

// to[r * to_stride + c] = from[c * from_stride + r] for r below `rows` and c below `columns`.
template <typename T>
using TurnTile = void (*)(const T* from, int64_t from_stride, T* to, int64_t to_stride,
                          int64_t rows, int64_t columns);

// T: uint8_t, uint16_t, uint32_t, uint64_t. Streams go past the caches where that is
// faster, and end with FinishStreams (support/stream_copy.h).
template <typename T>
TurnTile<T> GetTurnTile(bool streams);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_TURN_TILE_H_
