// Rows keep their terms side by side; of columns those that share 4 bytes do, then come the
// columns. Where lines or terms are neighbours in memory they are moved by vectors.
#include "interp/simd/product/tile_packing.h"

#include <bit>
#include <cstring>

#include "hwy/cache_control.h"
#include "interp/simd/movement/turn_tile.h"
#include "interp/simd/product/term_groups.h"

namespace hlo::simd {
namespace {

// Calls function.operator()<T>() with an unsigned type of `size` bytes.
template <typename Function>
void DispatchSize(int64_t size, const Function& function) {
  if (size == 1) return function.template operator()<uint8_t>();
  function.template operator()<uint16_t>();
}

// to[k] = row[term k], which lies anywhere.
template <typename T>
void CopyTerms(const T* row, const TermOffsets& terms, T* to) {
  const int64_t count = terms.count;  // not read again: bytes that are written may be anything
  if (terms.is_even) {
    row += terms.first;
    const int64_t distance = terms.distance;
    for (int64_t k = 0; k < count; ++k) to[k] = row[k * distance];
  } else {
    const int64_t* offsets = terms.uneven();
    for (int64_t k = 0; k < count; ++k) to[k] = row[offsets[k]];
  }
}

// Terms from those that are packed to those that are asked for.
template <typename T>
constexpr int64_t kAhead = 1024 / static_cast<int64_t>(sizeof(T));

template <typename T>
void PackRows(const T* from, const LineOffsets& lines, const TermOffsets& terms, T* to) {
  constexpr int64_t kTerms = kTileLineByteSize / static_cast<int64_t>(sizeof(T));
  static_assert(kTerms <= kTurnTile<T> && kPanelLines <= kTurnTile<T>);
  if (lines.is_dense && terms.is_even && !terms.is_dense) {
    GetTurnTile<T>(/*streams=*/false)(from + lines.first + terms.first, terms.distance, to, kTerms,
                                      lines.count, terms.count);
    return;
  }
  for (int64_t r = 0; r < lines.count; ++r, to += kTerms) {
    const T* row = from + lines[r];
    if (terms.is_dense) {
      hwy::Prefetch(row + terms.first + kAhead<T>);
      std::memcpy(to, row + terms.first, static_cast<size_t>(terms.count) * sizeof(T));
    } else {
      CopyTerms(row, terms, to);
    }
  }
}

// Terms that share 4 bytes, of all columns of a tile, as GetJoinTerms does where terms are as far
// from each other.
template <typename T>
void PackGroup(const T* from, const TermOffsets& terms, int64_t first_term, T* to) {
  static_assert(std::endian::native == std::endian::little);
  uint32_t groups[kTileLines] = {};
  for (int64_t i = 0; i < kTermsOfGroup<T>; ++i) {
    const T* term = from + terms[first_term + i];
    for (int64_t c = 0; c < kTileLines; ++c) {
      groups[c] |= uint32_t{term[c]} << (8 * sizeof(T) * i);
    }
  }
  std::memcpy(to, groups, sizeof(groups));
}

// The first groups of terms, of all columns of a tile, whose terms are neighbours.
template <typename T>
void TurnGroups(const T* from, const LineOffsets& lines, int64_t first_line, int64_t groups,
                T* to) {
  constexpr int64_t kGroup = kTermsOfGroup<T>;
  const T* column = from + lines[first_line];
  const bool is_aligned = reinterpret_cast<uintptr_t>(column) % 4 == 0;
  if (is_aligned && lines.is_even && lines.distance % kGroup == 0) {
    GetTurnTile<uint32_t>(/*streams=*/false)(
        reinterpret_cast<const uint32_t*>(column), lines.distance / kGroup,
        reinterpret_cast<uint32_t*>(to), kTileLines, groups, kTileLines);
    return;
  }
  for (int64_t c = 0; c < kTileLines; ++c) {
    column = from + lines[first_line + c];
    T* at = to + c * kGroup;
    for (int64_t g = 0; g < groups; ++g, at += kTileLines * kGroup, column += kGroup) {
      std::memcpy(at, column, 4);
    }
  }
}

// Asks for what the next block of these columns has: the processor does not foresee lines so short
// and far apart.
template <typename T>
void FetchNext(const T* from, const LineOffsets& lines, const TermOffsets& terms) {
  for (int64_t i = 0; i < lines.count; ++i) {
    hwy::Prefetch(from + lines[i] + terms.first + kAhead<T>);
  }
}

// Terms that share 4 bytes lie side by side, then come the columns.
template <typename T>
void PackColumns(const T* from, const LineOffsets& lines, const TermOffsets& terms, T* to) {
  constexpr int64_t kGroup = kTermsOfGroup<T>;
  constexpr int64_t kTileSize = kTileByteSize / static_cast<int64_t>(sizeof(T));
  const int64_t whole_groups = terms.count / kGroup;
  if (terms.is_dense) FetchNext(from, lines, terms);
  for (int64_t first = 0; first < lines.count; first += kTileLines, to += kTileSize) {
    const int64_t count = std::min(kTileLines, lines.count - first);
    int64_t done = 0;  // groups of terms
    if (terms.is_dense && count == kTileLines) {
      TurnGroups(from + terms.first, lines, first, whole_groups, to);
      done = whole_groups;
    } else if (lines.is_dense && terms.is_even && count == kTileLines) {
      GetJoinTerms<T>()({from + lines[first] + terms.first, terms.distance, whole_groups, 1}, to,
                        2 * kTileSize);
      done = whole_groups;
    } else if (lines.is_dense && count == kTileLines) {
      const T* row = from + lines[first];
      for (int64_t g = 0; g < whole_groups; ++g) {
        PackGroup(row, terms, g * kGroup, to + g * kTileLines * kGroup);
      }
      done = whole_groups;
    }
    for (int64_t k = done * kGroup; k < terms.count; ++k) {
      T* at = to + k / kGroup * kTileLines * kGroup + k % kGroup;
      for (int64_t c = 0; c < count; ++c) {
        at[c * kGroup] = from[lines[first + c] + terms[k]];
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

void PackColumnPanels(int64_t element_size, const std::byte* from, const LineOffsets& lines,
                      const TermOffsets& terms, int64_t panel_count, std::byte* to,
                      int64_t panel_byte_size) {
  DispatchSize(element_size, [&]<typename T>() {
    GetJoinTerms<T>()({reinterpret_cast<const T*>(from) + lines.first + terms.first, terms.distance,
                       terms.count / kTermsOfGroup<T>, panel_count * (kPanelLines / kTileLines)},
                      reinterpret_cast<T*>(to), panel_byte_size / static_cast<int64_t>(sizeof(T)));
  });
}

}  // namespace hlo::simd
