// Small computations that operations bring along. Not part of the interface.
#ifndef HLOKIT_BUILDER_CALLED_COMPUTATIONS_H_
#define HLOKIT_BUILDER_CALLED_COMPUTATIONS_H_

#include <span>

#include "builder/op.h"
#include "builder/operation.h"

namespace hlo {

// x -> x
ops::Callee IdentityComputation(const Operation& operation, const Shape& shape);

// (x, y) -> x + y on scalars of `type`; of pred x or y.
ops::Callee SumComputation(const Operation& operation, ElementType type);

// What a sort by rising first operands asks: (x0, y0, x1, y1 ...) -> x0 < y0, on scalars of
// `types`.
ops::Callee LessThanComputation(const Operation& operation, std::span<const ElementType> types);

}  // namespace hlo

#endif  // HLOKIT_BUILDER_CALLED_COMPUTATIONS_H_
