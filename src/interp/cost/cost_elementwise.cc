// How many operations an element takes is a column of opcodes.def. Complex numbers take a multiple
// of that.
#include "interp/cost/cost_family.h"

namespace hlo::cost {
namespace {

// (a + bi)(c + di) is four products and two sums; everything else is counted part by part.
double PartsOf(const OpView& op) {
  if (op.operand_count() == 0 || !op.operand_shape(0).IsArray() ||
      !IsComplex(op.operand_shape(0).element_type())) {
    return 1;
  }
  return op.opcode() == Opcode::kMultiply || op.opcode() == Opcode::kDivide ? 6 : 2;
}

}  // namespace

Cost OfElementwise(const OpView& op) {
  return Computed(op, ResultElements(op) * GetOpcodeInfo(op.opcode()).operations * PartsOf(op));
}

}  // namespace hlo::cost
