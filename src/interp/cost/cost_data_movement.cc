// Moving is no operation: only bytes count, those of operands and result. The exceptions are
// opcodes that read less than their operand.
#include "interp/cost/cost_family.h"

namespace hlo::cost {

Cost OfDataMovement(const OpView& op) {
  switch (op.opcode()) {
    case Opcode::kSlice:  // reads what it keeps
      return {0, 2 * ResultBytes(op)};
    case Opcode::kGetDimensionSize:  // looks at sizes, not at elements
      return {0, ResultBytes(op)};
    default:
      return Moved(op);
  }
}

}  // namespace hlo::cost
