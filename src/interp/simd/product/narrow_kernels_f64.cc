// The loops for few rows of f64 by columns of narrower elements.
#define HLO_CARRIER double
#include "interp/simd/product/narrow_kernels-inl.h"
