// Few rows of bf16 by columns of bf16 as they lie, by vectors that multiply bf16 (AVX-512 BF16).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_PAIRED_ROWS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_PAIRED_ROWS_H_

#include "interp/simd/product/matrix_kernels.h"

namespace hlo::simd {

// MatrixKernels::multiply_wide of columns of bf16, and of rows whose numbers are bf16's, where the
// processor HasBf16Vectors (instruction_set.h). Numbers and sums below 2^-126 are taken as 0.
void MultiplyPairs(const TileArguments<float>& tile);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_PAIRED_ROWS_H_
