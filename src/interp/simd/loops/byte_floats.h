// Tile loops (block_kernels.h) of floats of 8 bits and less, which take a byte each.
#ifndef HLOKIT_INTERP_SIMD_LOOPS_BYTE_FLOATS_H_
#define HLOKIT_INTERP_SIMD_LOOPS_BYTE_FLOATS_H_

#include <cstdint>

#include "ir/element_type.h"
#include "ir/narrow_float.h"

namespace hlo::simd {

constexpr bool IsByteFloat(const FloatFormat& format) { return format.bit_width <= 8; }
// Whether what rounds no number of a wider type (kNeverRounds) rounds none of these either: there
// are zeros of both signs and a NaN, and the largest numbers are integers, so that minus a number,
// its magnitude and its floor are such floats too.
constexpr bool IsClosed(const FloatFormat& format) {
  const bool is_ieee = format.kind == FloatKind::kIeee;
  const int largest_exponent = (1 << format.exponent_bits) - (is_ieee ? 2 : 1) - format.bias;
  return (is_ieee || format.kind == FloatKind::kFn) && largest_exponent >= format.mantissa_bits;
}
inline bool IsByteFloat(ElementType type) { return IsFloat(type) && ElementByteSize(type) == 1; }
inline bool IsClosed(ElementType type) {
  return !IsByteFloat(type) || IsClosed(GetElementTypeInfo(type).format);
}

struct ByteFloatLoops {
  using Loop = void (*)(const void* a, const void*, const void*, void* result, int64_t count);
  Loop widen, narrow, round;
  Loop round_f64;  // a tile of f64, rounded once, to one of f32
};
// Of a type that IsByteFloat.
const ByteFloatLoops& GetByteFloatLoops(ElementType type);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_BYTE_FLOATS_H_
