// Tile loops (block_kernels.h) of 8-bit floats with zeros of both signs, whose largest numbers are
// integers: minus a number, its magnitude and its floor are such floats too, so that what rounds no
// bf16 rounds none of these either.
#ifndef HLOKIT_INTERP_SIMD_BYTE_FLOATS_H_
#define HLOKIT_INTERP_SIMD_BYTE_FLOATS_H_

#include <cstdint>

#include "ir/element_type.h"
#include "ir/narrow_float.h"

namespace hlo::simd {

constexpr bool IsByteFloat(const FloatFormat& format) {
  const bool is_ieee = format.kind == FloatKind::kIeee;
  const bool has_zeros_of_both_signs = is_ieee || format.kind == FloatKind::kFn;
  const int largest_exponent = (1 << format.exponent_bits) - (is_ieee ? 2 : 1) - format.bias;
  return format.bit_width == 8 && has_zeros_of_both_signs &&
         largest_exponent >= format.mantissa_bits;
}
inline bool IsByteFloat(ElementType type) {
  switch (type) {
#define HLO_FLOAT_TYPE(Name, ...) \
  case ElementType::k##Name:      \
    return IsByteFloat(k##Name##Format);
#include "ir/element_types.def"
    default:  // no floats
      return false;
  }
}

struct ByteFloatLoops {
  using Loop = void (*)(const void* a, const void*, const void*, void* result, int64_t count);
  Loop widen, narrow, round;
};
// Of a type that IsByteFloat.
const ByteFloatLoops& GetByteFloatLoops(ElementType type);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BYTE_FLOATS_H_
