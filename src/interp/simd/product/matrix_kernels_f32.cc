// The innermost loops of matrix products of f32.
#define HLO_CARRIER float
#include "interp/simd/product/matrix_kernels-inl.h"
