// Batches of products that are so small that finding their parts takes longer than they do: those
// of 3x3 matrices, say.
#ifndef HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_H_
#define HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_H_

#include <cstdint>

#include "interp/simd/product_dimensions.h"

namespace hlo::simd {

// out[b, r, c] = sum over k of rows[b, r, k] * columns[b, k, c], each of which is one dimension.
template <typename T>
struct SmallProducts {
  const T* rows = nullptr;
  const T* columns = nullptr;
  T* out = nullptr;
  ProductDimension batch, row, sum, column;
};

template <typename T>
using MultiplySmall = void (*)(const SmallProducts<T>& products);
// For carriers T as MatrixProduct has them.
template <typename T>
MultiplySmall<T> GetMultiplySmall();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_H_
