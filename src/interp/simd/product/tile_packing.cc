// Rows keep their terms side by side; of columns those that share 4 bytes do, then come the
// columns. Where lines or terms are neighbours in memory they are moved by vectors.
#include "interp/simd/product/tile_packing.h"

#include <bit>
#include <cstring>

#include "interp/simd/movement/turn_tile.h"

namespace hlo::simd {
namespace {

// Calls function.operator()<T>() with an unsigned type of `size` bytes.
template <typename Function>
void DispatchSize(int64_t size, const Function& function) {
  if (size == 1) return function.template operator()<uint8_t>();
  function.template operator()<uint16_t>();
}

template <typename T>
void PackRows(const T* from, const LineOffsets& lines, const TermOffsets& terms, T* to) {
  constexpr int64_t kTerms = kTileLineByteSize / static_cast<int64_t>(sizeof(T));
  static_assert(kTerms <= kTurnTile<T> && kPanelLines <= kTurnTile<T>);
  if (lines.is_dense && terms.is_even && !terms.is_dense) {
    GetTurnTile<T>(/*streams=*/false)(from + lines.values[0] + terms.values[0], terms.distance, to,
                                      kTerms, lines.count, terms.count);
    return;
  }
  for (int64_t r = 0; r < lines.count; ++r, to += kTerms) {
    const T* row = from + lines.values[r];
    if (terms.is_dense) {
      std::memcpy(to, row + terms.values[0], static_cast<size_t>(terms.count) * sizeof(T));
    } else {
      for (int64_t k = 0; k < terms.count; ++k) to[k] = row[terms.values[k]];
    }
  }
}

// Terms that share 4 bytes, of all columns of a tile: made as numbers of 32 bits, which compilers
// do by vectors.
template <typename T>
void PackGroup(const T* from, const int64_t* terms, T* to) {
  static_assert(std::endian::native == std::endian::little);
  uint32_t groups[kTileLines] = {};
  for (size_t i = 0; i < 4 / sizeof(T); ++i) {
    for (int64_t c = 0; c < kTileLines; ++c) {
      groups[c] |= uint32_t{from[terms[i] + c]} << (8 * sizeof(T) * i);
    }
  }
  std::memcpy(to, groups, sizeof(groups));
}

// Terms that share 4 bytes lie side by side, then come the columns.
template <typename T>
void PackColumns(const T* from, const LineOffsets& lines, const TermOffsets& terms, T* to) {
  constexpr int64_t kGroup = 4 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kTileSize = kTileByteSize / static_cast<int64_t>(sizeof(T));
  const int64_t whole_groups = terms.count / kGroup;
  for (int64_t first = 0; first < lines.count; first += kTileLines, to += kTileSize) {
    const int64_t count = std::min(kTileLines, lines.count - first);
    int64_t done = 0;  // groups of terms
    if (terms.is_dense && count == kTileLines) {
      for (int64_t c = 0; c < kTileLines; ++c) {
        const T* column = from + lines.values[first + c] + terms.values[0];
        T* at = to + c * kGroup;
        for (int64_t g = 0; g < whole_groups; ++g, at += kTileLines * kGroup, column += kGroup) {
          std::memcpy(at, column, 4);
        }
      }
      done = whole_groups;
    } else if (lines.is_dense && count == kTileLines) {
      const T* row = from + lines.values[first];
      for (int64_t g = 0; g < whole_groups; ++g) {
        PackGroup(row, terms.values + g * kGroup, to + g * kTileLines * kGroup);
      }
      done = whole_groups;
    }
    for (int64_t k = done * kGroup; k < terms.count; ++k) {
      T* at = to + k / kGroup * kTileLines * kGroup + k % kGroup;
      for (int64_t c = 0; c < count; ++c) {
        at[c * kGroup] = from[lines.values[first + c] + terms.values[k]];
      }
    }
  }
}

}  // namespace

void PackRowBlock(int64_t element_size, const std::byte* from, const LineOffsets& lines,
                  const TermOffsets& terms, std::byte* to) {
  DispatchSize(element_size, [&]<typename T>() {
    PackRows(reinterpret_cast<const T*>(from), lines, terms, reinterpret_cast<T*>(to));
  });
}

void PackColumnBlock(int64_t element_size, const std::byte* from, const LineOffsets& lines,
                     const TermOffsets& terms, std::byte* to) {
  DispatchSize(element_size, [&]<typename T>() {
    PackColumns(reinterpret_cast<const T*>(from), lines, terms, reinterpret_cast<T*>(to));
  });
}

}  // namespace hlo::simd
