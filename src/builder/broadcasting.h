// Implicit broadcasting made explicit (builder.md 1, verifier.md 3.0). Not part of the interface.
#ifndef HLOKIT_BUILDER_BROADCASTING_H_
#define HLOKIT_BUILDER_BROADCASTING_H_

#include <span>

#include "builder/op.h"
#include "builder/operation.h"

namespace hlo {

// Brings the two operands to equal dimensions, by broadcasts and reshapes, or reports
// broadcasting.*. Operands that are no arrays stay, for inference to complain of.
void BroadcastOperands(Operation& operation, ops::Op& lhs, ops::Op& rhs,
                       ops::Ints broadcast_dimensions);

// Broadcasts the scalars among `operands` to the dimensions of the arrays, which are the same
// (otherwise `rule`); nothing if all are scalars.
void BroadcastScalars(Operation& operation, std::span<ops::Op> operands, Rule rule);

// `operand` with its dimensions of size 1 grown to the sizes of `dims`: they are dropped by a
// reshape, and come back by a broadcast, the result of the operation or a step on its way.
ops::Op BroadcastTo(Operation& operation, const ops::Op& operand, const Shape& dims,
                    bool is_inner = false);

}  // namespace hlo

#endif  // HLOKIT_BUILDER_BROADCASTING_H_
