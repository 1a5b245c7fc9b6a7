// The innermost loops of matrix products of integers of 32 bits.
#define HLO_CARRIER uint32_t
#include "interp/simd/product/matrix_kernels-inl.h"
