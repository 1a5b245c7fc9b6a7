// The element types that people look for extremes in: the row of each, once.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_EXTREME_TYPES_H_
#define HLOKIT_INTERP_SIMD_REDUCE_EXTREME_TYPES_H_

#include "ir/element_traits.h"

// ROW(Name, T) for each ElementType::kName, whose elements are Ts. pred goes as u8.
#define HLO_EXTREME_TYPES(ROW) \
  ROW(F64, double)             \
  ROW(F32, float)              \
  ROW(Bf16, Bf16)              \
  ROW(F16, F16)                \
  ROW(S32, int32_t)            \
  ROW(U8, uint8_t)

#endif  // HLOKIT_INTERP_SIMD_REDUCE_EXTREME_TYPES_H_
