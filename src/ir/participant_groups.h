// The participants of a run, replica_count x num_partitions of them, and the groups of them that a
// collective speaks of, every form written out (semantics.md 14.1, 14.2).
#ifndef HLOKIT_IR_PARTICIPANT_GROUPS_H_
#define HLOKIT_IR_PARTICIPANT_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/device_groups.h"
#include "ir/op_view.h"

namespace hlo {

// A participant by its flattened id, replica * partitions + partition.
using ParticipantId = int64_t;

inline int64_t ReplicaOf(ParticipantId id, const DeviceCounts& counts) {
  return id / counts.partitions;
}
inline int64_t PartitionOf(ParticipantId id, const DeviceCounts& counts) {
  return id % counts.partitions;
}
// "replica 1, partition 0", as short as the counts allow: "replica 1" where there is one
// partition.
std::string ParticipantText(ParticipantId id, const DeviceCounts& counts);

using IdGroups = std::vector<std::vector<int64_t>>;

// The ids of every group in any of the three forms, in order; none: the text lists no groups.
// Fails when the text makes no sense: ids that do not fill the groups, parts of axes that are none,
// more ids than 2^24.
absl::StatusOr<IdGroups> ListedGroups(const ReplicaGroups& groups);

// Who exchanges data with whom in a collective with replica groups: ordered groups of participants.
// Fails as ListedGroups does, for ids that are no participants, and for one that is in two groups.
absl::StatusOr<IdGroups> ParticipantGroups(const OpView& op, const DeviceCounts& counts);

using ParticipantPair = std::pair<ParticipantId, ParticipantId>;  // source, target

// The pairs of a collective-permute as participants, in the order of the text and for each of its
// pairs in that of the partitions (replicas) it holds for. Fails for ids that are no participants.
absl::StatusOr<std::vector<ParticipantPair>> PermutePairs(const OpView& op,
                                                          const DeviceCounts& counts);

// "{{0,1},{1,2}}", as send and recv have it in a frontend attribute: all numbers, two by two;
// nothing when their count is odd.
std::optional<std::vector<std::pair<int64_t, int64_t>>> ParsePairs(std::string_view text);

// The frontend attribute of send and recv that says between whom data goes; empty: it is not there.
std::string_view TransferPairsText(const Instruction& instruction);

// The same as participants: a channel above 0 speaks of partitions, others of replicas
// (semantics.md 14.4). Fails for ids that are no participants.
absl::StatusOr<std::vector<ParticipantPair>> TransferPairs(std::string_view text, int64_t channel,
                                                           const DeviceCounts& counts);

// What a module does that depends on who runs it.
struct ParticipantNeeds {
  DeviceCounts counts;   // the smallest grid that has the ids its collectives name
  InstructionId reason;  // that names more participants than are known; invalid: nobody does
  bool has_participants = false;  // something in it differs between participants, or joins them
};
struct KnownCounts {
  std::optional<int64_t> replicas;
  std::optional<int64_t> partitions;
};
// Counts that are known stay what they are.
ParticipantNeeds FindParticipantNeeds(const Module& module, const KnownCounts& known);

}  // namespace hlo

#endif  // HLOKIT_IR_PARTICIPANT_GROUPS_H_
