// What counts is what a participant brings when a collective runs or starts. The end of one brings
// nothing, so no byte is counted twice. Lists are short, an entry for each collective that the
// participant came to, and searched from the front.
#include "interp/inspect/collective_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/participant_groups.h"

namespace hlo {
namespace {

// By instruction, in the order of the text, and then by participant.
using Rows = std::map<InstructionId, std::vector<CollectiveTraffic>>;

Rows RowsOf(std::span<const std::vector<CollectiveTraffic>> by_participant) {
  Rows rows;
  for (size_t p = 0; p < by_participant.size(); ++p) {
    for (const CollectiveTraffic& traffic : by_participant[p]) {
      std::vector<CollectiveTraffic>& row = rows[traffic.instruction];
      row.resize(by_participant.size(), {.instruction = traffic.instruction});
      row[p] = traffic;
    }
  }
  return rows;
}

}  // namespace

// What ends a collective brings nothing, and ids are no arrays of others.
bool IsTraffic(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kSend) return !instruction.Get<Attr::kIsHostTransfer>();
  return GetOpcodeInfo(opcode).family == OpcodeFamily::kCollective &&
         opcode != Opcode::kReplicaId && opcode != Opcode::kPartitionId &&
         !OpcodeName(opcode).ends_with("-done");
}

void AddTraffic(const Evaluation& evaluation, std::vector<CollectiveTraffic>& traffic) {
  const InstructionId id = evaluation.module().id_of(evaluation.instruction());
  auto found = std::ranges::find(traffic, id, &CollectiveTraffic::instruction);
  if (found == traffic.end()) found = traffic.insert(found, {.instruction = id});
  ++found->count;
  for (const ArrayRef& operand : evaluation.operands()) found->byte_size += operand.byte_size();
}

std::string TrafficText(const Module& module, const DeviceCounts& counts,
                        std::span<const std::vector<CollectiveTraffic>> by_participant) {
  const Rows rows = RowsOf(by_participant);
  if (rows.empty()) return "";
  std::string text =
      fmt::format("{:>10} {:>14}  {:<28} {}\n", "count", "bytes given", "by", "collective");
  for (const auto& [id, row] : rows) {
    const Instruction& instruction = module.instruction(id);
    const std::string name =
        fmt::format("{} ({})", instruction.name, OpcodeName(instruction.opcode));
    const bool is_same = std::ranges::all_of(
        row, [&first = row.front()](const CollectiveTraffic& traffic) { return traffic == first; });
    for (size_t p = 0; p < (is_same ? 1 : row.size()); ++p) {
      const std::string who =
          is_same ? "each" : ParticipantText(static_cast<ParticipantId>(p), counts);
      text += fmt::format("{:>10} {:>14}  {:<28} {}\n", row[p].count, row[p].byte_size, who, name);
    }
  }
  return text;
}

}  // namespace hlo
