// A bitcast between arrays in row-major order gives the elements in their order, with layouts or
// without. Any other one keeps the layouts on both of its sides, also where they are the same: one
// of them may have to stay for the sake of another bitcast.
#include "printer/meaningful_layouts.h"

namespace hlo {
namespace {

bool IsRowMajor(const Shape& shape) {
  if (!shape.layout()) return true;
  Layout layout = *shape.layout();
  layout.memory_space = 0;  // where, not in which order
  return layout.IsDefault();
}

}  // namespace

std::vector<bool> MeaningfulLayouts(const Module& module) {
  std::vector<bool> meaningful;
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.opcode != Opcode::kBitcast || instruction.operands.empty()) continue;
    const Instruction& operand = module.operand(instruction, 0);
    if (IsRowMajor(*operand.shape) && IsRowMajor(*instruction.shape)) continue;
    meaningful.resize(module.instructions().size());
    meaningful[module.id_of(instruction).value] = true;
    meaningful[module.id_of(operand).value] = true;
  }
  return meaningful;
}

}  // namespace hlo
