// A tile is first copied line by line, so that lines whose addresses collide in the cache are read
// once; its squares of one vector each way are turned in registers, row after row of the result.
// What goes past the caches is turned in the first one, so that lines are written whole.
#include "interp/simd/turn_tile.h"

#include <cstring>
#include <utility>

#include "support/stream_copy.h"

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/turn_tile.cc"
#include "interp/simd/targets.h"
// After targets.h, which says for which.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
template <typename T>
constexpr int64_t kSquare = 1;

template <typename T>
HWY_INLINE void TurnSquare(const T* from, int64_t, T* to, int64_t) {
  *to = *from;
}
#else
template <typename T>
constexpr int64_t kSquare = 16 / sizeof(T);

// As many perfect shuffles of the lines as there are bits in their number.
template <typename T>
HWY_INLINE void TurnSquare(const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  constexpr int64_t n = kSquare<T>;
  const hn::FixedTag<T, static_cast<size_t>(n)> d;
  hn::Vec<decltype(d)> lines[n], shuffled[n];
  for (int64_t i = 0; i < n; ++i) lines[i] = hn::LoadU(d, from + i * from_stride);
  for (int64_t stage = 1; stage < n; stage *= 2) {
    for (int64_t i = 0; i < n / 2; ++i) {
      shuffled[2 * i] = hn::InterleaveLower(d, lines[i], lines[i + n / 2]);
      shuffled[2 * i + 1] = hn::InterleaveUpper(d, lines[i], lines[i + n / 2]);
    }
    for (int64_t i = 0; i < n; ++i) lines[i] = shuffled[i];
  }
  for (int64_t i = 0; i < n; ++i) hn::StoreU(lines[i], d, to + i * to_stride);
}
#endif

// to[r, c] = lines[c, r], some pitch apart.
template <typename T>
HWY_INLINE void TurnLines(const T* lines, int64_t pitch, T* to, int64_t to_stride, int64_t rows,
                          int64_t columns) {
  constexpr int64_t n = kSquare<T>;
  const int64_t whole_columns = columns / n * n;
  int64_t r = 0;
  for (; r + n <= rows; r += n) {
    for (int64_t c = 0; c < whole_columns; c += n) {
      TurnSquare(lines + c * pitch + r, pitch, to + r * to_stride + c, to_stride);
    }
    for (int64_t i = r; i < r + n; ++i) {
      for (int64_t c = whole_columns; c < columns; ++c) {
        to[i * to_stride + c] = lines[c * pitch + i];
      }
    }
  }
  for (; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[r * to_stride + c] = lines[c * pitch + r];
  }
}

template <typename T, bool kStreams>
void Turn(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows,
          int64_t columns) {
  constexpr int64_t kPitch = kTurnTile<T> + kSquare<T>;
  HWY_ALIGN T lines[kTurnTile<T> * kPitch];  // [column, row]
  for (int64_t c = 0; c < columns; ++c) {
    std::memcpy(lines + c * kPitch, from + c * from_stride, static_cast<size_t>(rows) * sizeof(T));
  }
  if constexpr (!kStreams) {
    TurnLines(lines, kPitch, to, to_stride, rows, columns);
  } else {
    HWY_ALIGN T turned[kTurnTile<T> * kTurnTile<T>];  // [row, column]
    TurnLines(lines, kPitch, turned, kTurnTile<T>, rows, columns);
    for (int64_t r = 0; r < rows; ++r) {
      StreamCopy(reinterpret_cast<std::byte*>(to + r * to_stride),
                 reinterpret_cast<const std::byte*>(turned + r * kTurnTile<T>),
                 static_cast<size_t>(columns) * sizeof(T));
    }
  }
}

template <typename T>
TurnTile<T> TurnOf(bool streams) {
  return streams ? Turn<T, true> : Turn<T, false>;
}

TurnTile<uint8_t> Turn8(bool streams) { return TurnOf<uint8_t>(streams); }
TurnTile<uint16_t> Turn16(bool streams) { return TurnOf<uint16_t>(streams); }
TurnTile<uint32_t> Turn32(bool streams) { return TurnOf<uint32_t>(streams); }
TurnTile<uint64_t> Turn64(bool streams) { return TurnOf<uint64_t>(streams); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(Turn8);
HWY_EXPORT(Turn16);
HWY_EXPORT(Turn32);
HWY_EXPORT(Turn64);

template <>
TurnTile<uint8_t> GetTurnTile(bool streams) {
  return HWY_DYNAMIC_DISPATCH(Turn8)(streams);
}
template <>
TurnTile<uint16_t> GetTurnTile(bool streams) {
  return HWY_DYNAMIC_DISPATCH(Turn16)(streams);
}
template <>
TurnTile<uint32_t> GetTurnTile(bool streams) {
  return HWY_DYNAMIC_DISPATCH(Turn32)(streams);
}
template <>
TurnTile<uint64_t> GetTurnTile(bool streams) {
  return HWY_DYNAMIC_DISPATCH(Turn64)(streams);
}

}  // namespace hlo::simd
#endif
