// For loops whose results may be operands, element for element: no iteration waits for another.
#ifndef HLOKIT_INTERP_SIMD_VECTOR_INDEPENDENT_H_
#define HLOKIT_INTERP_SIMD_VECTOR_INDEPENDENT_H_

#ifdef __clang__
#define HLO_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HLO_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif  // HLOKIT_INTERP_SIMD_VECTOR_INDEPENDENT_H_
