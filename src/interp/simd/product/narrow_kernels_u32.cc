// The loops for few rows of integers of 32 bits by columns of narrower elements.
#define HLO_CARRIER uint32_t
#include "interp/simd/product/narrow_kernels-inl.h"
