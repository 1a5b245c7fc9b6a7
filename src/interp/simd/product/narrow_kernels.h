// The loops of matrix_kernels.h for few rows, of columns that are no carriers in memory and become
// such where they are loaded.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_NARROW_KERNELS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_NARROW_KERNELS_H_

#include <cstdint>

#include "interp/simd/product/matrix_kernels.h"
#include "ir/element_type.h"

namespace hlo::simd {

// Both take what `columns.others` are.
template <typename T>
struct NarrowKernels {
  MultiplyTile<T> multiply_wide = nullptr;
  DotTile<T> dot = nullptr;
  // With more rows, for each few of which columns are loaded again, it is faster to convert first.
  int64_t most_dot_rows = 0;
};

// For columns of `type`, all of whose numbers T holds. Null where vectors of this processor take
// more than one or two instructions for it, or elements are of a kind that is rare.
template <typename T>
NarrowKernels<T> GetNarrowKernels(ElementType type);
// Whatever becomes integers of 64 bits is rare.
template <>
inline NarrowKernels<uint64_t> GetNarrowKernels(ElementType) {
  return {};
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_NARROW_KERNELS_H_
