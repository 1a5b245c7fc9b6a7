// Products of few rows (ProductMode::kWide and kDot) by columns that may be no carriers in memory.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_CONVERTED_PRODUCT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_CONVERTED_PRODUCT_H_

#include <cstdint>

#include "interp/simd/product/matrix_kernels.h"

namespace hlo::simd {

inline constexpr int64_t kDotColumns = 256;  // that are done at a time in mode kDot

// The most elements of a block that some columns are converted to, a few of them at a time.
int64_t WideBlockSize(int64_t column_count);
int64_t DotBlockSize(int64_t column_count, int64_t term_count);

// Whether the kernels below take such a block.
template <typename T>
bool TakesWideBlock(ProductData<T> columns);
template <typename T>
bool TakesDotBlock(ProductData<T> columns, int64_t row_count);

// MatrixKernels::multiply_wide, of any columns.
template <typename T>
void MultiplyWide(const TileArguments<T>& tile, T* block);
// MatrixKernels::dot, of at most kDotColumns of any kind.
template <typename T>
void Dot(const DotArguments<T>& dots, T* block);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_CONVERTED_PRODUCT_H_
