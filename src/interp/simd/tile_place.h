// Where the arrays are that a block goes through tile by tile.
#ifndef HLOKIT_INTERP_SIMD_TILE_PLACE_H_
#define HLOKIT_INTERP_SIMD_TILE_PLACE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "interp/kernel/array_view.h"

namespace hlo::simd {

enum class TileLevel : uint8_t { kFull, kRow };

struct TilePlace {
  enum class Kind : uint8_t { kNone, kRegister, kOperand, kResult };

  Kind kind = Kind::kNone;
  TileLevel level = TileLevel::kFull;
  int64_t element_size = 0;
  int64_t at = 0;  // byte offset of a register, number of an operand or result

  bool operator==(const TilePlace&) const = default;
};

// What a block runs on.
struct TileArrays {
  std::span<const ArrayRef> operands;
  std::span<const MutableArrayRef> results;
  std::byte* registers;
  int64_t row_length;

  // Of what `place` holds of the tile that begins at full element `begin`.
  std::byte* Address(const TilePlace& place, int64_t begin) const {
    const int64_t first = place.level == TileLevel::kFull ? begin : begin / row_length;
    const auto number = static_cast<size_t>(place.at);
    switch (place.kind) {
      case TilePlace::Kind::kNone:
        return nullptr;
      case TilePlace::Kind::kRegister:
        return registers + place.at;
      case TilePlace::Kind::kOperand:
        return const_cast<std::byte*>(operands[number].bytes) + first * place.element_size;
      case TilePlace::Kind::kResult:
        return results[number].bytes + first * place.element_size;
    }
    return nullptr;
  }
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_TILE_PLACE_H_
