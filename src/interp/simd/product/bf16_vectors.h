// Vectors that multiply bf16 (AVX-512 BF16), of the processor's own: Highway has none that flush.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_BF16_VECTORS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_BF16_VECTORS_H_

#if defined(__x86_64__)

#include <immintrin.h>

#define HLOKIT_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512bf16")))

namespace hlo::simd {

// Adds two products to each sum: of the pairs that lie side by side, those of numbers below 2^-126
// as 0. In its register (see byte_products.cc).
HLOKIT_BF16 inline void AddProducts(__m512& sums, __m512i factors, __m512i pairs) {
  asm("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(factors), "v"(pairs));
}

}  // namespace hlo::simd

#endif
#endif  // HLOKIT_INTERP_SIMD_PRODUCT_BF16_VECTORS_H_
