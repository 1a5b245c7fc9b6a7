// What the sources of the cost library share: sizes, and a function for each family.
#ifndef HLOKIT_INTERP_COST_COST_FAMILY_H_
#define HLOKIT_INTERP_COST_COST_FAMILY_H_

#include "interp/cost/cost.h"

namespace hlo::cost {

// Of all arrays in `shape`.
double ElementsOf(const Shape& shape);
double BytesOf(const Shape& shape);

double OperandElements(const OpView& op);
double OperandBytes(const OpView& op);
inline double ResultElements(const OpView& op) { return ElementsOf(*op.written_shape()); }
inline double ResultBytes(const OpView& op) { return BytesOf(*op.written_shape()); }

// All operands are read and the result is written, and nothing is computed.
inline Cost Moved(const OpView& op) { return {0, OperandBytes(op) + ResultBytes(op)}; }
inline Cost Computed(const OpView& op, double flops) {
  return {flops, OperandBytes(op) + ResultBytes(op)};
}

// The operations of the computation that `attr` names, called once.
double FlopsOfCall(const OpView& op, ComputationId computation);

// The elements of a window.
double WindowSize(const OpView& op);

Cost OfElementwise(const OpView& op);
Cost OfDataMovement(const OpView& op);
Cost OfReduction(const OpView& op);
Cost OfContraction(const OpView& op);
Cost OfIndexing(const OpView& op);
Cost OfLinalg(const OpView& op);
Cost OfRandom(const OpView& op);
Cost OfCollective(const OpView& op);

}  // namespace hlo::cost

#endif  // HLOKIT_INTERP_COST_COST_FAMILY_H_
