// A tile is first copied line by line, so that lines whose addresses collide in the cache are read
// once; its squares of one vector each way are turned in registers, row after row of the result.
#include "interp/simd/turn_tile.h"

#include <cstring>
#include <utility>

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

template <typename T>
void Turn(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows,
          int64_t columns) {
  constexpr int64_t n = kSquare<T>;
  constexpr int64_t kPitch = kTurnTile + n;
  HWY_ALIGN T lines[kTurnTile * kPitch];  // [column, row]
  for (int64_t c = 0; c < columns; ++c) {
    std::memcpy(lines + c * kPitch, from + c * from_stride, static_cast<size_t>(rows) * sizeof(T));
  }
  const int64_t whole_columns = columns / n * n;
  int64_t r = 0;
  for (; r + n <= rows; r += n) {
    for (int64_t c = 0; c < whole_columns; c += n) {
      TurnSquare(lines + c * kPitch + r, kPitch, to + r * to_stride + c, to_stride);
    }
    for (int64_t i = r; i < r + n; ++i) {
      for (int64_t c = whole_columns; c < columns; ++c) {
        to[i * to_stride + c] = lines[c * kPitch + i];
      }
    }
  }
  for (; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[r * to_stride + c] = lines[c * kPitch + r];
  }
}

TurnTile<uint8_t> Turn8() { return Turn<uint8_t>; }
TurnTile<uint16_t> Turn16() { return Turn<uint16_t>; }
TurnTile<uint32_t> Turn32() { return Turn<uint32_t>; }
TurnTile<uint64_t> Turn64() { return Turn<uint64_t>; }

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
TurnTile<uint8_t> GetTurnTile() {
  return HWY_DYNAMIC_DISPATCH(Turn8)();
}
template <>
TurnTile<uint16_t> GetTurnTile() {
  return HWY_DYNAMIC_DISPATCH(Turn16)();
}
template <>
TurnTile<uint32_t> GetTurnTile() {
  return HWY_DYNAMIC_DISPATCH(Turn32)();
}
template <>
TurnTile<uint64_t> GetTurnTile() {
  return HWY_DYNAMIC_DISPATCH(Turn64)();
}

}  // namespace hlo::simd
#endif
