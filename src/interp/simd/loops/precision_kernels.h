// Tile loops of reduce-precision (semantics.md 5.2).
#ifndef HLOKIT_INTERP_SIMD_LOOPS_PRECISION_KERNELS_H_
#define HLOKIT_INTERP_SIMD_LOOPS_PRECISION_KERNELS_H_

#include <cstdint>

#include "interp/simd/loops/block_kernels.h"
#include "ir/element_type.h"

namespace hlo::simd {

// Of tiles of f32 or f64; null where so many bits change nothing.
struct PrecisionKernels {
  // Rounds to so many bits of mantissa, 0 or more; where none is left NaN are infinite.
  TileLoop (*round_mantissa)(ElementType type, int64_t mantissa_bits);
  // Makes numbers infinite that are too large for so many bits of exponent, 1 or more, and those 0
  // that are too small.
  TileLoop (*limit_exponent)(ElementType type, int64_t exponent_bits);
};
const PrecisionKernels& GetPrecisionKernels();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_PRECISION_KERNELS_H_
