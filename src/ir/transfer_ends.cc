// One pass over the instructions of all computations, host transfers left out; a second end of the
// same kind ends the search. A tuple's sharding has a leaf for each element, and names one device
// only when all of them do.
#include "ir/transfer_ends.h"

#include <algorithm>

namespace hlo {

std::optional<int64_t> MaximalDevice(const Instruction& instruction) {
  const Sharding* sharding = instruction.attributes.GetIf<Attr::kSharding>();
  if (sharding == nullptr || sharding->leaves.empty()) return std::nullopt;
  const int64_t device = sharding->leaves[0].maximal_device;
  const bool is_one = std::ranges::all_of(sharding->leaves, [&](const ShardingLeaf& leaf) {
    return leaf.kind == ShardingLeaf::Kind::kMaximal && leaf.maximal_device == device;
  });
  return is_one ? std::optional<int64_t>(device) : std::nullopt;
}

std::optional<TransferEnds> FindTransferEnds(const Module& module, int64_t channel) {
  const Instruction* ends[2] = {nullptr, nullptr};  // send, recv
  for (const Instruction& instruction : module.instructions()) {
    const bool is_send = instruction.opcode == Opcode::kSend;
    if (!is_send && instruction.opcode != Opcode::kRecv) continue;
    if (instruction.Get<Attr::kIsHostTransfer>()) continue;
    if (instruction.Get<Attr::kChannelId>() != channel) continue;
    const Instruction*& end = ends[is_send ? 0 : 1];
    if (end != nullptr) return std::nullopt;
    end = &instruction;
  }
  if (ends[0] == nullptr || ends[1] == nullptr) return std::nullopt;
  const std::optional<int64_t> source = MaximalDevice(*ends[0]);
  const std::optional<int64_t> target = MaximalDevice(*ends[1]);
  if (!source || !target) return std::nullopt;
  return TransferEnds{*source, *target};
}

}  // namespace hlo
