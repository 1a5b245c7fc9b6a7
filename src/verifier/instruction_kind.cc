// Side effects in the order of verifier.md 1.3: traits of the opcode, what an attribute decides,
// and of the collectives that are left then collective-broadcast and all starts and dones.
#include "verifier/instruction_kind.h"

#include <algorithm>
#include <iterator>

namespace hlo {

bool HasSideEffect(const Instruction& instruction) {
  Opcode opcode = instruction.opcode;
  if (HasTrait(opcode, kSideEffect | kStateful)) return true;
  if (opcode == Opcode::kCustomCall) return instruction.Get<Attr::kCustomCallHasSideEffect>();
  if (opcode == Opcode::kAllToAll || opcode == Opcode::kAllGather || opcode == Opcode::kAllReduce ||
      opcode == Opcode::kReduceScatter) {
    return instruction.Get<Attr::kConstrainLayout>();
  }
  return IsCollective(opcode) && opcode != Opcode::kCollectivePermute &&
         opcode != Opcode::kRaggedAllToAll;
}

bool IsCollective(Opcode opcode) {
  return GetOpcodeInfo(opcode).family == OpcodeFamily::kCollective &&
         opcode != Opcode::kPartitionId && opcode != Opcode::kReplicaId;
}

bool IsMarkerCall(const Instruction& instruction) {
  static constexpr std::string_view kTargets[] = {
      "Sharding",
      "LocalToGlobalShape",
      "GlobalToLocalShape",
      "xla.sdy.LocalToGlobalShape",
      "xla.sdy.GlobalToLocalShape",
      "xla.sdy.FuncResultSharding",
  };
  if (instruction.opcode != Opcode::kCustomCall) return false;
  std::string_view target = instruction.Get<Attr::kCustomCallTarget>();
  return std::find(std::begin(kTargets), std::end(kTargets), target) != std::end(kTargets);
}

bool IsCustomCall(const Instruction& instruction, std::string_view target) {
  return instruction.opcode == Opcode::kCustomCall &&
         instruction.Get<Attr::kCustomCallTarget>() == target;
}

std::optional<std::string_view> FrontendValue(const Instruction& instruction,
                                              std::string_view key) {
  const FrontendAttributes* attributes = instruction.attributes.GetIf<Attr::kFrontendAttributes>();
  if (attributes == nullptr) return std::nullopt;
  for (const FrontendAttribute& attribute : *attributes) {
    if (attribute.key == key) return attribute.value;
  }
  return std::nullopt;
}

}  // namespace hlo
