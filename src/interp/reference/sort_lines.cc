#include "interp/reference/sort_lines.h"

namespace hlo::reference {
namespace {

int64_t ParameterNumber(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kParameter) return -1;
  return instruction.Get<Attr::kParameterNumber>();
}

}  // namespace

std::optional<PlainComparator> RecognisePlain(const Evaluation& e, ComputationId computation) {
  const Module& module = e.module();
  const Instruction& root = module.root(module.computation(computation));
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const int64_t left = ParameterNumber(module.operand(root, 0));
  const int64_t right = ParameterNumber(module.operand(root, 1));
  if (left < 0 || right < 0 || left == right || left / 2 != right / 2) return std::nullopt;
  const ComparisonDirection direction = root.Get<Attr::kDirection>();
  const bool less = direction == ComparisonDirection::kLt;
  if (!less && direction != ComparisonDirection::kGt) return std::nullopt;
  if (left / 2 >= static_cast<int64_t>(e.operands().size()) ||
      IsComplex(e.operand(left / 2).element_type)) {
    return std::nullopt;
  }
  return PlainComparator{left / 2, less == (left < right),
                         root.Get<Attr::kCompareType>() == ComparisonType::kTotalOrder};
}

}  // namespace hlo::reference
