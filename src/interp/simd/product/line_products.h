// Few rows by columns, the terms of both side by side, by instructions that add the products of
// neighbouring terms to a sum: of two of bf16 (AVX-512 BF16), or of four bytes (AVX-512 VNNI).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_LINE_PRODUCTS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_LINE_PRODUCTS_H_

#include <cstdint>
#include <optional>

#include "interp/simd/product/matrix_kernels.h"
#include "ir/element_type.h"
#include "support/check.h"

namespace hlo::simd {

// Whether rows and columns that are stored as these types (StoredType), of so many terms, are
// multiplied faster so than widened.
template <typename T>
bool HasLineProducts(std::optional<ElementType> /*rows*/, std::optional<ElementType> /*columns*/,
                     int64_t /*row_count*/, int64_t /*term_count*/) {
  return false;
}
template <>
bool HasLineProducts<float>(std::optional<ElementType> rows, std::optional<ElementType> columns,
                            int64_t row_count, int64_t term_count);
template <>
bool HasLineProducts<uint32_t>(std::optional<ElementType> rows, std::optional<ElementType> columns,
                               int64_t row_count, int64_t term_count);

// MatrixKernels::dot, of these rows in place of `dots.rows`, where there are line products. Of
// bf16, numbers and sums below 2^-126 are taken as 0; sums of bytes are exact.
void MultiplyLines(ProductData<float> rows, const DotArguments<float>& dots);
void MultiplyLines(ProductData<uint32_t> rows, const DotArguments<uint32_t>& dots);

// Others have no such instruction.
template <typename T>
void MultiplyLines(ProductData<T> /*rows*/, const DotArguments<T>& /*dots*/) {
  HLO_UNREACHABLE();
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_LINE_PRODUCTS_H_
