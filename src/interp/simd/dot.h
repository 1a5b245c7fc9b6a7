// dot as a product of strided arrays.
#ifndef HLOKIT_INTERP_SIMD_DOT_H_
#define HLOKIT_INTERP_SIMD_DOT_H_

#include "interp/kernel/evaluation.h"
#include "interp/simd/matrix_product.h"

namespace hlo::simd {

// The roles of a dot's dimensions. The lhs gives the rows unless it is `swapped`.
struct DotShape {
  explicit DotShape(const OpView& op);

  ProductShape product;
  bool is_swapped = false;
};

// The kernel of a dot of static arrays; null when there is none for it.
const Kernel* FindDotKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_DOT_H_
