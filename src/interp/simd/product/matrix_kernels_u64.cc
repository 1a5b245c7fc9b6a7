// The innermost loops of matrix products of integers of 64 bits.
#define HLO_CARRIER uint64_t
#include "interp/simd/product/matrix_kernels-inl.h"
