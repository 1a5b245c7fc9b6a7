// Whether two computations of a module say the same.
#ifndef HLOKIT_IR_COMPUTATION_EQUALITY_H_
#define HLOKIT_IR_COMPUTATION_EQUALITY_H_

#include "ir/module.h"

namespace hlo {

// Whether `a` and `b` are the same instructions in the same order, with the same computations below
// them. Names, and where things come from, do not count.
bool EqualComputations(const Module& module, ComputationId a, ComputationId b);
// The same of the attributes of two instructions, computations that these call included.
bool EqualAttributes(const Module& module, const Instruction& a, const Instruction& b);

}  // namespace hlo

#endif  // HLOKIT_IR_COMPUTATION_EQUALITY_H_
