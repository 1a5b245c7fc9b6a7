// A tile is first copied line by line, so that lines whose addresses collide in the cache are read
// once; its squares of 16 bytes each way are turned in registers, as many at a time as fill a
// vector, row after row of the result. Whole lines of the cache may go past it, at once: of vectors
// that are shorter they come together in the cache first. Parts of lines that go past it are slow.
#include "interp/simd/movement/turn_tile.h"

#include <algorithm>

#include "support/stream_copy.h"

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/movement/turn_tile.cc"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/vector/turned_squares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Squares whose lines are columns side by side in `to`. Streams: to whole vectors.
template <bool kStreams, typename T>
HWY_INLINE void CopyTurnedSquares(const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  TurnSquares<T>([&](auto block, int64_t line)
                     HWY_ATTR { return hn::LoadU(block, from + line * from_stride); },
                 [&](int64_t i, auto vector) HWY_ATTR {
                   const hn::ScalableTag<T> d;
                   if constexpr (kStreams) {
                     hn::Stream(vector, d, to + i * to_stride);
                   } else {
                     hn::StoreU(vector, d, to + i * to_stride);
                   }
                 });
}

// to[r, c] = lines[c, r], some pitch apart.
template <bool kStreams, typename T>
HWY_INLINE void TurnLines(const T* lines, int64_t pitch, T* to, int64_t to_stride, int64_t rows,
                          int64_t columns) {
  constexpr int64_t n = kSquare<T>;
  constexpr int64_t kWidth = kSquares<T> * n;
  const int64_t whole_columns = columns / kWidth * kWidth;
  int64_t r = 0;
  for (; r + n <= rows; r += n) {
    for (int64_t c = 0; c < whole_columns; c += kWidth) {
      CopyTurnedSquares<kStreams>(lines + c * pitch + r, pitch, to + r * to_stride + c, to_stride);
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

constexpr int64_t kLineSize = 64;  // of the cache, bytes

// Whether rows of `to` begin with lines of the cache.
template <typename T>
HWY_INLINE bool IsInLines(const T* to, int64_t to_stride) {
  const auto stride = static_cast<uintptr_t>(to_stride) * sizeof(T);
  return (reinterpret_cast<uintptr_t>(to) | stride) % kLineSize == 0;
}

template <typename T>
constexpr int64_t kPitch = kTurnTile<T> + kSquare<T>;

// lines[c, r] = from[c, r]. Processors fetch nothing ahead of runs so short and far apart.
template <typename T>
HWY_INLINE void CopyLines(const T* from, int64_t from_stride, T* lines, int64_t rows,
                          int64_t columns) {
  constexpr int64_t kAhead = 8;  // columns, of the next tile as well
  constexpr int64_t kLine = kLineSize / static_cast<int64_t>(sizeof(T));
  if (rows < kTurnTile<T>) {
    for (int64_t c = 0; c < columns; ++c) {
      std::copy_n(from + c * from_stride, rows, lines + c * kPitch<T>);
    }
    return;
  }
  for (int64_t c = 0; c < columns; ++c, from += from_stride) {
    std::copy_n(from, kTurnTile<T>, lines + c * kPitch<T>);
    for (int64_t i = 0; i < kTurnTile<T>; i += kLine) {
      hwy::Prefetch(from + kAhead * from_stride + i);
    }
  }
}

template <typename T, bool kStreams>
void Turn(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows,
          int64_t columns) {
  HWY_ALIGN T lines[kTurnTile<T> * kPitch<T>];
  CopyLines(from, from_stride, lines, rows, columns);
  if (!kStreams || !IsInLines(to, to_stride)) {
    return TurnLines<false>(lines, kPitch<T>, to, to_stride, rows, columns);
  }
  if constexpr (kSquares<T> * kSquare<T> * sizeof(T) == kLineSize) {
    TurnLines<true>(lines, kPitch<T>, to, to_stride, rows, columns);
  } else {
    HWY_ALIGN T turned[kTurnTile<T> * kTurnTile<T>];  // [row, column]
    TurnLines<false>(lines, kPitch<T>, turned, kTurnTile<T>, rows, columns);
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
