// Values with dynamic dimensions (semantics.md 13): the shape says bounds, the value has sizes.
#ifndef HLOKIT_VALUES_VALUE_SHAPE_H_
#define HLOKIT_VALUES_VALUE_SHAPE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/literal.h"
#include "ir/shape.h"

namespace hlo {

// `literal` as a value of `shape`: a static dimension must have its size, a dynamic one takes any
// up to its bound. Fails with kInvalidArgument where that is not so, with kResourceExhausted when
// the memory for the bounds is not to be had.
absl::StatusOr<Literal> FitToShape(Literal literal, const Shape& shape);

// `shape` with the sizes that the braces of `text`, a literal, give its dynamic dimensions, which
// become static. Sizes above the bound stay the bound.
Shape ShapeOfText(const Shape& shape, std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_VALUES_VALUE_SHAPE_H_
