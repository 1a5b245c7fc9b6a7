// Instructions of AVX-512 that add products of neighbouring terms to a sum, which not all
// processors with AVX-512 have: none that Highway uses (vector/targets.h).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_NEIGHBOUR_PRODUCTS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_NEIGHBOUR_PRODUCTS_H_

#if defined(__x86_64__)

#include <immintrin.h>

// Of functions that run where the processor has the instruction that they use.
#define HLOKIT_NEIGHBOURS __attribute__((target("avx512f,avx512bw,avx512dq")))

namespace hlo::simd {

// In their register: with the intrinsic GCC copies sums to other registers and back around each
// step, which takes as long as the products.

// Two of bf16 (AVX-512 BF16). Numbers and sums below 2^-126 are taken as 0.
HLOKIT_NEIGHBOURS inline void AddPairProducts(__m512& sums, __m512i factors, __m512i pairs) {
  asm("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(factors), "v"(pairs));
}

// Four of bytes (AVX-512 VNNI), unsigned by signed ones; sums wrap.
HLOKIT_NEIGHBOURS inline void AddFourProducts(__m512i& sums, __m512i is_unsigned,
                                              __m512i is_signed) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(is_unsigned), "v"(is_signed));
}

}  // namespace hlo::simd

#endif
#endif  // HLOKIT_INTERP_SIMD_PRODUCT_NEIGHBOUR_PRODUCTS_H_
