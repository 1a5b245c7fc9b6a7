// Loops over tiles: the elementwise opcodes and conversions, in the instruction
// set that this processor has. Tiles hold elements as they are computed with: f32 for it and the
// narrower floats, other types as themselves, pred as bytes 0 and 1.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_KERNELS_H_
#define HLOKIT_INTERP_SIMD_BLOCK_KERNELS_H_

#include <cstdint>

#include "interp/simd/byte_floats.h"
#include "ir/attribute_values.h"
#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo::simd {

// result[i] = f(a[i], b[i], c[i]); what f does not take is null. The result may be an operand.
using TileLoop = void (*)(const void* a, const void* b, const void* c, void* result, int64_t count);
struct BlockKernels {
  // All return null where there is no loop. Types are those of tiles.
  TileLoop (*elementwise)(Opcode opcode, ElementType type);
  TileLoop (*compare)(ComparisonDirection direction, ElementType type);
  TileLoop (*select)(int64_t element_size);
  TileLoop (*convert)(ElementType from, ElementType to);
  // Elements of `type` in memory from and to tiles, and a tile rounded to its precision; for floats
  // narrower than f32.
  TileLoop (*widen)(ElementType type);
  TileLoop (*narrow)(ElementType type);
  TileLoop (*round)(ElementType type);
};

const BlockKernels& GetBlockKernels();

// What tiles hold of `type`; nothing where there are no tiles of it.
inline bool HasTiles(ElementType type) {
  switch (type) {
    case ElementType::kPred:
    case ElementType::kS8:
    case ElementType::kU8:
    case ElementType::kS16:
    case ElementType::kU16:
    case ElementType::kS32:
    case ElementType::kU32:
    case ElementType::kS64:
    case ElementType::kU64:
    case ElementType::kBf16:
    case ElementType::kF16:
    case ElementType::kF32:
    case ElementType::kF64:
      return true;
    default:  // sub-byte integers, floats of a byte, complex numbers, tokens
      return false;
  }
}
// Blocks take some types more, which other users of tiles leave to the reference kernels.
inline bool HasBlockTiles(ElementType type) { return HasTiles(type) || IsByteFloat(type); }
inline ElementType TileType(ElementType type) {
  const bool is_narrow =
      type == ElementType::kBf16 || type == ElementType::kF16 || IsByteFloat(type);
  return is_narrow ? ElementType::kF32 : type;
}

// Calls function.operator()<T>() for what a tile of `type` holds; null for others.
template <typename Function>
auto ForTile(ElementType type, Function function)
    -> decltype(function.template operator()<float>()) {
  switch (type) {
    case ElementType::kPred:
      return function.template operator()<bool>();
    case ElementType::kS8:
      return function.template operator()<int8_t>();
    case ElementType::kU8:
      return function.template operator()<uint8_t>();
    case ElementType::kS16:
      return function.template operator()<int16_t>();
    case ElementType::kU16:
      return function.template operator()<uint16_t>();
    case ElementType::kS32:
      return function.template operator()<int32_t>();
    case ElementType::kU32:
      return function.template operator()<uint32_t>();
    case ElementType::kS64:
      return function.template operator()<int64_t>();
    case ElementType::kU64:
      return function.template operator()<uint64_t>();
    case ElementType::kF32:
      return function.template operator()<float>();
    case ElementType::kF64:
      return function.template operator()<double>();
    default:  // no tiles
      return nullptr;
  }
}

// The part of BlockKernels that is about integers, in a file of its own: it takes long to compile.
struct IntegerKernels {
  TileLoop (*elementwise)(Opcode opcode, ElementType type);
  TileLoop (*convert)(ElementType from, ElementType to);  // all types
};
const IntegerKernels& GetIntegerKernels();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_KERNELS_H_
