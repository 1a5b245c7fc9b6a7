// The instruction sets that vector kernels are compiled for; before hwy/foreach_target.h.
#ifndef HLOKIT_INTERP_SIMD_VECTOR_TARGETS_H_
#define HLOKIT_INTERP_SIMD_VECTOR_TARGETS_H_

// What every x86-64 has (to Highway 1.0.3: no vectors, the scalar target), SSE4, AVX2 and AVX-512.
// The others gain little over these and cost compile time.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif

#endif  // HLOKIT_INTERP_SIMD_VECTOR_TARGETS_H_
