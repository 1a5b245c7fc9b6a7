// Products of 8-bit integers by vectors, of panels as matrix registers take them (tile_kernels.h).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_BYTE_PRODUCTS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_BYTE_PRODUCTS_H_

#include <cstdint>

#include "interp/simd/product/tile_kernels.h"

namespace hlo::simd {

// How many products one instruction adds to each sum.
enum class ByteProducts : uint8_t {
  kNone,
  kTwo,   // of 16-bit integers, which bytes are widened to (AVX2)
  kFour,  // AVX-512 VNNI
};

// The most that this processor, and the limit, allow.
ByteProducts AvailableByteProducts();
// From now on (instruction_set.h).
void LimitByteProducts(ByteProducts most);

// Sums of one panel of rows with some of columns, of integers. Some are available.
void MultiplyBytes(TileElements elements, const PanelPairs& panels);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_BYTE_PRODUCTS_H_
