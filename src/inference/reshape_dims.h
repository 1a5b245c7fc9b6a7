// Which dimensions of a reshaped array are dynamic (verifier.md 3.5).
#ifndef HLOKIT_INFERENCE_RESHAPE_DIMS_H_
#define HLOKIT_INFERENCE_RESHAPE_DIMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ir/shape.h"

namespace hlo {

// `operand` with `sizes`, bounds where it is dynamic. A dynamic dimension that becomes one makes
// that dynamic; of several, `inferred_dimension`, or without it (-1) the first whose size is not 1.
// Nothing, and the reason in `problem`, when it cannot be told what is dynamic. Where the numbers
// of elements differ, which is for InferReshape to report, no dimension is dynamic.
std::optional<Shape> ReshapedShape(const Shape& operand, std::span<const int64_t> sizes,
                                   int64_t inferred_dimension, std::string& problem);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_RESHAPE_DIMS_H_
