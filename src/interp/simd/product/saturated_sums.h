// Sums of integers cut to the range of a narrower type.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_SATURATED_SUMS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_SATURATED_SUMS_H_

#include <cstddef>
#include <cstdint>

#include "ir/element_type.h"

namespace hlo::simd {

// Stores `count` sums as elements of `type`, integers below 32 bits, the nearest that there are.
// Sums have the size of `carrier`, an integer, and the sign of `type`.
void StoreSaturated(ElementType carrier, const std::byte* from, ElementType type, std::byte* to,
                    int64_t count);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_SATURATED_SUMS_H_
