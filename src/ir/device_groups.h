// Who takes part in a collective: the four group modes (verifier.md 3.10).
#ifndef HLOKIT_IR_DEVICE_GROUPS_H_
#define HLOKIT_IR_DEVICE_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/op_view.h"

namespace hlo {

enum class GroupMode {
  kCrossReplica,              // ids are replicas
  kCrossPartition,            // ids are partitions
  kCrossReplicaAndPartition,  // ids are replicas, whose partitions all take part
  kFlattenedId,               // ids are replica * num_partitions + partition
};
std::string_view GroupModeText(GroupMode mode);

// How many devices run a module; 1 stands for "nobody has said".
struct DeviceCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;
};
// What `replica_count` and `num_partitions` of the module line say and, where that is silent,
// `given`; at least 1.
DeviceCounts DeviceCountsOf(const Module& module, const DeviceCounts& given);

// The mode that channel_id and use_global_device_ids choose; nothing for the combination that has
// no meaning, global ids without a channel.
std::optional<GroupMode> GroupModeOf(const OpView& op);

// How many ids the groups of this mode speak of; nothing when the product overflows.
std::optional<int64_t> ExpectedIdCount(const DeviceCounts& devices, GroupMode mode);

// Whether the text lists groups at all; without, everybody is in one.
bool HasGroups(const ReplicaGroups& groups);

// How many devices share data: the size of the first group, or of the one group of everybody.
// Nothing when it overflows.
std::optional<int64_t> GroupSize(const OpView& op, const DeviceCounts& devices, GroupMode mode);

}  // namespace hlo

#endif  // HLOKIT_IR_DEVICE_GROUPS_H_
