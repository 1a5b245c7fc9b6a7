// Where elements of a result follow each other those of the next one are far away: so lines are
// read one by one and turned, as many at a time as are equally far apart.
#include "interp/simd/block/fold_offsets.h"

#include <algorithm>

#include "interp/reference/element_size.h"
#include "interp/simd/movement/turn_tile.h"

namespace hlo::simd {
namespace {

using reference::DispatchElementSize;
using reference::Element16;

// How many offsets from `first` on are equally far apart.
size_t CountEven(std::span<const int64_t> offsets, size_t first) {
  size_t end = first + 1;
  while (end < offsets.size() &&
         offsets[end] - offsets[end - 1] == offsets[first + 1] - offsets[first]) {
    ++end;
  }
  return end - first;
}

// to[r * to_stride + c] = from[c * from_stride + r].
template <typename T>
void Turn(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows,
          int64_t columns) {
  static const TurnTile<T> turn = GetTurnTile<T>(/*streams=*/false);
  for (int64_t r = 0; r < rows; r += kTurnTile<T>) {
    for (int64_t c = 0; c < columns; c += kTurnTile<T>) {
      turn(from + c * from_stride + r, from_stride, to + r * to_stride + c, to_stride,
           std::min(kTurnTile<T>, rows - r), std::min(kTurnTile<T>, columns - c));
    }
  }
}
void Turn(const Element16* from, int64_t from_stride, Element16* to, int64_t to_stride,
          int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) to[r * to_stride + c] = from[c * from_stride + r];
  }
}

// Calls visit(first, stride, lines) for the lines that are so far apart, from offset `first` on.
template <typename Visit>
void ForEachEven(std::span<const int64_t> offsets, const Visit& visit) {
  for (size_t first = 0; first < offsets.size();) {
    const size_t lines = CountEven(offsets, first);
    visit(first, lines > 1 ? offsets[first + 1] - offsets[first] : 0, static_cast<int64_t>(lines));
    first += lines;
  }
}

}  // namespace

FoldOffsets::FoldOffsets(std::span<const int64_t> offsets) : offsets(offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    is_dense &= offsets[i] == offsets[0] + static_cast<int64_t>(i);
  }
}

void FoldOffsets::Gather(int64_t size, const std::byte* from, std::byte* to) const {
  DispatchElementSize(size, [&]<typename T>() {
    const T* elements = reinterpret_cast<const T*>(from);
    T* next = reinterpret_cast<T*>(to);
    for (const int64_t offset : offsets) *next++ = elements[offset];
  });
}

void FoldOffsets::GatherSome(int64_t size, const std::byte* from, std::span<const uint8_t> takes,
                             std::byte* to) const {
  DispatchElementSize(size, [&]<typename T>() {
    const T* elements = reinterpret_cast<const T*>(from);
    T* gathered = reinterpret_cast<T*>(to);
    for (size_t i = 0; i < offsets.size(); ++i) {
      gathered[i] = takes[i] != 0 ? elements[offsets[i]] : T{};
    }
  });
}

void FoldOffsets::GatherLines(int64_t size, const std::byte* from, int64_t count, std::byte* to,
                              int64_t pitch) const {
  DispatchElementSize(size, [&]<typename T>() {
    const T* elements = reinterpret_cast<const T*>(from);
    T* gathered = reinterpret_cast<T*>(to);
    ForEachEven(offsets, [&](size_t first, int64_t stride, int64_t lines) {
      Turn(elements + offsets[first], stride, gathered + first, pitch, count, lines);
    });
  });
}

void FoldOffsets::ScatterLines(int64_t size, const std::byte* from, int64_t pitch, int64_t count,
                               std::byte* to) const {
  DispatchElementSize(size, [&]<typename T>() {
    const T* gathered = reinterpret_cast<const T*>(from);
    T* elements = reinterpret_cast<T*>(to);
    ForEachEven(offsets, [&](size_t first, int64_t stride, int64_t lines) {
      Turn(gathered + first, pitch, elements + offsets[first], stride, lines, count);
    });
  });
}

}  // namespace hlo::simd
