// The order in which reduce visits its operands (semantics.md 9.1).
#ifndef HLOKIT_INTERP_REFERENCE_REDUCE_LOOPS_H_
#define HLOKIT_INTERP_REFERENCE_REDUCE_LOOPS_H_

#include "interp/kernel/evaluation.h"
#include "interp/reference/strided.h"

namespace hlo::reference {

struct ReduceLoops {
  // Of operand 0 at run time.
  explicit ReduceLoops(const Evaluation& e);

  Index kept_dims, kept_strides;
  Index reduced_dims, reduced_strides;  // in visiting order, the fastest one last
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_REDUCE_LOOPS_H_
