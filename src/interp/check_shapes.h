// Whether the shapes of a module let it run: what planner and kernels rely on.
#ifndef HLOKIT_INTERP_CHECK_SHAPES_H_
#define HLOKIT_INTERP_CHECK_SHAPES_H_

#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

// Checks, for every instruction that can execute, the premises of its opcode and that the written
// shape is the one its operands give. Reports every violation; false when there is one.
bool CheckShapes(const Module& module, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_INTERP_CHECK_SHAPES_H_
