// Where the arrays are that a block goes through tile by tile.
#ifndef HLOKIT_INTERP_SIMD_LOOPS_TILE_PLACE_H_
#define HLOKIT_INTERP_SIMD_LOOPS_TILE_PLACE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "interp/kernel/array_view.h"

namespace hlo::simd {

// A value for each element, for each row, or for each element of a row, over all tiles of a piece.
enum class TileLevel : uint8_t { kFull, kRow, kPiece };

struct TilePlace {
  // kPointer: a register holds the address of the first element.
  enum class Kind : uint8_t { kNone, kRegister, kPointer, kOperand, kResult };

  Kind kind = Kind::kNone;
  TileLevel level = TileLevel::kFull;
  int64_t element_size = 0;
  int64_t at = 0;  // byte offset of a register or pointer, number of an operand or result
  // kPointer: elements from one row that a chain goes through to the next, 0 where it is the same
  // one again. None: rows lie side by side.
  std::optional<int64_t> row_stride = std::nullopt;

  bool operator==(const TilePlace&) const = default;
};

// Full elements [begin, begin + count), which are whole rows where there are rows.
struct Tile {
  int64_t begin;
  int64_t count;
  int64_t first_row;
  int64_t rows;
  int64_t piece_first = 0;    // number of the piece times the length of a row
  bool starts_piece = false;  // it is the first tile of that

  int64_t first(TileLevel level) const {
    if (level == TileLevel::kPiece) return piece_first;
    return level == TileLevel::kFull ? begin : first_row;
  }
  int64_t size(TileLevel level) const {
    if (level == TileLevel::kPiece) return count / rows;
    return level == TileLevel::kFull ? count : rows;
  }
};

// What a block runs on.
struct TileArrays {
  std::span<const ArrayRef> operands;
  std::span<const MutableArrayRef> results;
  std::byte* registers;

  // Of what `place` holds of the tile.
  std::byte* Address(const TilePlace& place, const Tile& tile) const {
    const auto number = static_cast<size_t>(place.at);
    switch (place.kind) {
      case TilePlace::Kind::kNone:
        return nullptr;
      case TilePlace::Kind::kRegister:
        return registers + place.at;
      case TilePlace::Kind::kPointer:
        return *reinterpret_cast<std::byte* const*>(registers + place.at);
      case TilePlace::Kind::kOperand:
        return const_cast<std::byte*>(operands[number].bytes) +
               tile.first(place.level) * place.element_size;
      case TilePlace::Kind::kResult:
        return results[number].bytes + tile.first(place.level) * place.element_size;
    }
    return nullptr;
  }
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_TILE_PLACE_H_
