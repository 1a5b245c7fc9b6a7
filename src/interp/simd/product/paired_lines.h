// Few rows of bf16 by columns of bf16, the terms of both side by side, by vectors that multiply
// bf16 (AVX-512 BF16).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_PAIRED_LINES_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_PAIRED_LINES_H_

#include <cstdint>

#include "interp/simd/product/matrix_kernels.h"

namespace hlo::simd {

// Whether DotPairs multiplies so many rows, with so many terms, faster than they are widened.
bool HasPairsToDot(int64_t row_count, int64_t term_count);

// MatrixKernels::dot of dots.bf16_rows by columns of bf16. Numbers and sums below 2^-126 are taken
// as 0.
void DotPairs(const DotArguments<float>& dots);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_PAIRED_LINES_H_
