// The loops for few rows of f32 by columns of narrower elements.
#define HLO_CARRIER float
#include "interp/simd/product/narrow_kernels-inl.h"
