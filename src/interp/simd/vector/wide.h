// Narrow floats as the wider numbers they stand for, which compare and are computed with as they
// are.
#ifndef HLOKIT_INTERP_SIMD_VECTOR_WIDE_H_
#define HLOKIT_INTERP_SIMD_VECTOR_WIDE_H_

#include "ir/element_traits.h"

namespace hlo::simd {

template <typename T>
auto Wide(T x) {
  if constexpr (kTypeClassOf<T> == kFloat && sizeof(T) < 4) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

template <typename T>
using WideForm = decltype(Wide(T{}));

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_VECTOR_WIDE_H_
