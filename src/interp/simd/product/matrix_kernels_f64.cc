// The innermost loops of matrix products of f64.
#define HLO_CARRIER double
#include "interp/simd/product/matrix_kernels-inl.h"
