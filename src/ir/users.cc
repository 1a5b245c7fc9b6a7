// Two counting passes: how many users each one has, then who they are.
#include "ir/users.h"

#include "ir/called_computations.h"

namespace hlo {

template <typename Visit>
void Users::Lists::Fill(size_t key_count, const Visit& visit) {
  std::vector<InstructionId> last(key_count);  // the user a key had last
  const auto is_new = [&](size_t key, InstructionId user) {
    return std::exchange(last[key], user) != user;
  };
  starts_.assign(key_count + 1, 0);
  visit([&](size_t key, InstructionId user) {
    if (is_new(key, user)) ++starts_[key + 1];
  });
  for (size_t key = 0; key < key_count; ++key) starts_[key + 1] += starts_[key];
  items_.resize(starts_.back());
  std::vector<uint32_t> next(starts_.begin(), starts_.end() - 1);
  last.assign(key_count, InstructionId());
  visit([&](size_t key, InstructionId user) {
    if (is_new(key, user)) items_[next[key]++] = user;
  });
}

Users::Users(const Module& module) {
  const auto for_each_instruction = [&](const auto& visit) {
    for (size_t i = 0; i < module.instructions().size(); ++i) {
      visit(module.instructions()[i], InstructionId(i));
    }
  };
  users_.Fill(module.instructions().size(), [&](const auto& add) {
    for_each_instruction([&](const Instruction& instruction, InstructionId id) {
      for (const Operand& operand : instruction.operands) add(operand.id.value, id);
    });
  });
  callers_.Fill(module.computations().size(), [&](const auto& add) {
    for_each_instruction([&](const Instruction& instruction, InstructionId id) {
      ForEachCalledComputation(instruction,
                               [&](Attr, ComputationId callee) { add(callee.value, id); });
    });
  });
}

}  // namespace hlo
