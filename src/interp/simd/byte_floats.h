// Tile loops (block_kernels.h) of 8-bit floats with zeros of both signs, whose largest numbers are
// integers: minus a number, its magnitude and its floor are such floats too, so that what rounds no
// bf16 rounds none of these either.
#ifndef HLOKIT_INTERP_SIMD_BYTE_FLOATS_H_
#define HLOKIT_INTERP_SIMD_BYTE_FLOATS_H_

#include "ir/element_type.h"

namespace hlo::simd {

inline bool IsByteFloat(ElementType type) {
  return type == ElementType::kF8E5M2 || type == ElementType::kF8E4M3 ||
         type == ElementType::kF8E4M3Fn;
}

struct ByteFloatLoops {
  using Loop = void (*)(const void* a, const void*, const void*, void* result, int64_t count);
  Loop widen, narrow, round;
};
// Of a type that IsByteFloat.
const ByteFloatLoops& GetByteFloatLoops(ElementType type);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BYTE_FLOATS_H_
