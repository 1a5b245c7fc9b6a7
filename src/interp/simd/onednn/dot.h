// Dots that oneDNN does.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_DOT_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_DOT_H_

#include <memory>

#include "interp/kernel/evaluation.h"
#include "interp/plan/plan.h"
#include "interp/simd/onednn/product_parts.h"

namespace hlo::simd::onednn {

// As MakeConvolutionProgram is for convolutions. A dot that reads its operands through other
// instructions has a program by then, whose places are kept. `products` are those of its plan so
// far.
std::shared_ptr<const StepProgram> MakeDotProgram(const Plan& plan, const Step& step, bool repeats,
                                                  ProductPartsCache& products);

// The same for a step of two operands as they are that is the product of `shape`, whatever its
// instruction calls it.
std::shared_ptr<const StepProgram> MakeProductProgram(const Plan& plan, const Step& step,
                                                      const ProductShape& shape, bool repeats,
                                                      ProductPartsCache& products);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_DOT_H_
