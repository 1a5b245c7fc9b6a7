// What is made for a plan, whose steps are often alike.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_PLAN_CACHES_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_PLAN_CACHES_H_

#include "interp/simd/onednn/convolution_parts.h"
#include "interp/simd/onednn/product_parts.h"

namespace hlo::simd::onednn {

struct PlanCaches {
  ProductPartsCache products;
  ConvolutionPartsCache convolutions;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_PLAN_CACHES_H_
