// Loops over tiles: the elementwise opcodes and conversions, in the instruction
// set that this processor has. Tiles hold elements as they are computed with: f32 for it and the
// narrower floats, other types as themselves: pred as bytes 0 and 1, complex numbers part by part.
#ifndef HLOKIT_INTERP_SIMD_LOOPS_BLOCK_KERNELS_H_
#define HLOKIT_INTERP_SIMD_LOOPS_BLOCK_KERNELS_H_

#include <cstdint>
#include <optional>

#include "interp/simd/loops/byte_floats.h"
#include "ir/attribute_values.h"
#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo::simd {

// result[i] = f(a[i], b[i], c[i]); what f does not take is null. The result may be an operand.
using TileLoop = void (*)(const void* a, const void* b, const void* c, void* result, int64_t count);
struct BlockKernels {
  // All return null where there is no loop. Types are those of tiles.
  TileLoop (*elementwise)(Opcode opcode, ElementType type);
  // The same with the reference kernels' bits, also where those of vector functions are others.
  TileLoop (*exact)(Opcode opcode, ElementType type);
  TileLoop (*compare)(ComparisonDirection direction, ElementType type);
  TileLoop (*select)(int64_t element_size);
  TileLoop (*convert)(ElementType from, ElementType to);  // complex: to and from their parts only
  // Floats as integers in the total order (semantics.md 4.2): of their size, or, of floats narrower
  // than f32 as they are in memory, s16.
  TileLoop (*order)(ElementType type);
  // Elements of `type` in memory from and to tiles, and a tile rounded to its precision; for floats
  // narrower than f32.
  TileLoop (*widen)(ElementType type);
  TileLoop (*narrow)(ElementType type);
  TileLoop (*round)(ElementType type);
};

const BlockKernels& GetBlockKernels();

// What tiles hold of `type`. All types of arrays have tiles, but not all loops above.
inline bool HasTiles(ElementType type) { return IsArrayType(type); }
inline ElementType TileType(ElementType type) {
  return IsFloat(type) && ElementByteSize(type) < 4 ? ElementType::kF32 : type;
}

// Whether tiles hold `type` widened.
inline bool IsNarrow(ElementType type) { return TileType(type) != type; }

// Whether a tile of `a` is one of `b` whose elements have the same bits.
inline bool HaveSameTiles(ElementType a, ElementType b) {
  const auto is_fine = [](ElementType type) {
    return (IsInteger(type) || IsFloat(type)) && BitWidth(type) >= 8 && !IsNarrow(type);
  };
  return a == b || (is_fine(a) && is_fine(b) && BitWidth(a) == BitWidth(b));
}

// What registers of blocks hold of floats that are not widened.
inline ElementType BitsType(ElementType type) {
  return ElementByteSize(type) == 1 ? ElementType::kU8 : ElementType::kU16;
}

// Integers narrower than a byte lie each in one, as the numbers that they are.
inline bool IsSubByteInteger(ElementType type) { return IsInteger(type) && BitWidth(type) < 8; }
// The type of whose elements `type`'s are some.
inline ElementType StoredType(ElementType type) {
  if (!IsSubByteInteger(type)) return type;
  return IsSigned(type) ? ElementType::kS8 : ElementType::kU8;
}

// Calls function.operator()<T>() for what a tile of `type` holds, if that is a number of C++; null
// for others.
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
    default:  // integers narrower than a byte, complex numbers
      return nullptr;
  }
}
// The same for integers narrower than a byte.
template <typename Function>
auto ForSubByte(ElementType type, Function function)
    -> decltype(function.template operator()<S4>()) {
  switch (type) {
    case ElementType::kS1:
      return function.template operator()<S1>();
    case ElementType::kU1:
      return function.template operator()<U1>();
    case ElementType::kS2:
      return function.template operator()<S2>();
    case ElementType::kU2:
      return function.template operator()<U2>();
    case ElementType::kS4:
      return function.template operator()<S4>();
    case ElementType::kU4:
      return function.template operator()<U4>();
    default:  // a byte and more
      return nullptr;
  }
}

// The type of the tile that elementwise(opcode, type) makes; nothing where there is no functor.
std::optional<ElementType> ElementwiseResult(Opcode opcode, ElementType type);

// Parts of BlockKernels, in files of their own: they take long to compile. All return null for
// types that they are not about.
struct IntegerKernels {
  TileLoop (*elementwise)(Opcode opcode, ElementType type);
  TileLoop (*convert)(ElementType from, ElementType to);
};
const IntegerKernels& GetIntegerKernels();  // converts between all numbers of C++
const IntegerKernels& GetSubByteKernels();  // converts these to integers narrower than a byte

struct ComplexKernels {
  TileLoop (*elementwise)(Opcode opcode, ElementType type);
  TileLoop (*exact)(Opcode opcode, ElementType type);
  TileLoop (*compare)(ComparisonDirection direction, ElementType type);
  // Between complex numbers, or these and their parts.
  TileLoop (*convert)(ElementType from, ElementType to);
};
const ComplexKernels& GetComplexKernels();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_BLOCK_KERNELS_H_
