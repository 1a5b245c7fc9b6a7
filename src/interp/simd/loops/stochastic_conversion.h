// stochastic-convert of tiles, in the instruction set that this processor has.
#ifndef HLOKIT_INTERP_SIMD_LOOPS_STOCHASTIC_CONVERSION_H_
#define HLOKIT_INTERP_SIMD_LOOPS_STOCHASTIC_CONVERSION_H_

#include "interp/simd/loops/block_kernels.h"
#include "ir/element_type.h"

namespace hlo::simd {

// The loop of floats and random bits of some type, as wide as the float is in memory, to signed
// integers. Null for other types.
TileLoop StochasticConversion(ElementType from, ElementType random, ElementType to);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_STOCHASTIC_CONVERSION_H_
