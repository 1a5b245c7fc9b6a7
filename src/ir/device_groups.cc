// The mode is chosen as in the table of verifier.md 3.10: by which attributes are written, and by
// whether the opcode could say `use_global_device_ids` at all. Of the groups only the size of the
// first is looked at here; participant_groups.cc writes them out. Counts are the text's, so their
// products are checked.
#include "ir/device_groups.h"

#include <algorithm>

#include "support/checked_math.h"

namespace hlo {
namespace {

// The devices along the axes of a mesh that the groups span.
std::optional<int64_t> MeshGroupSize(const ReplicaGroups& groups) {
  int64_t size = 1;
  for (const AxisRef& axis : groups.mesh_axes) {
    if (axis.axis < 0 || axis.axis >= static_cast<int64_t>(groups.mesh.axes.size())) {
      return std::nullopt;
    }
    const int64_t part = axis.IsWhole() ? groups.mesh.axes[axis.axis].size : axis.size;
    const std::optional<int64_t> product = CheckedMul(size, part);
    if (!product) return std::nullopt;
    size = *product;
  }
  return size;
}

std::optional<int64_t> FirstGroupSize(const ReplicaGroups& groups) {
  switch (groups.form) {
    case ReplicaGroups::Form::kExplicit:
      return static_cast<int64_t>(groups.groups.front().size());
    case ReplicaGroups::Form::kIota:
      return groups.tile_dims.empty() ? 1 : groups.tile_dims.back();
    case ReplicaGroups::Form::kMesh:
      return MeshGroupSize(groups);
  }
  return std::nullopt;
}

}  // namespace

std::string_view GroupModeText(GroupMode mode) {
  switch (mode) {
    case GroupMode::kCrossReplica:
      return "cross-replica";
    case GroupMode::kCrossPartition:
      return "cross-partition";
    case GroupMode::kCrossReplicaAndPartition:
      return "cross-replica-and-partition";
    case GroupMode::kFlattenedId:
      return "flattened-id";
  }
  return {};
}

DeviceCounts DeviceCountsOf(const Module& module, const DeviceCounts& given) {
  const int64_t* replicas = module.GetIf<Attr::kReplicaCount>();
  const int64_t* partitions = module.GetIf<Attr::kNumPartitions>();
  return {std::max<int64_t>(replicas == nullptr ? given.replicas : *replicas, 1),
          std::max<int64_t>(partitions == nullptr ? given.partitions : *partitions, 1)};
}

std::optional<GroupMode> GroupModeOf(const OpView& op) {
  const bool has_channel = op.Has(Attr::kChannelId);
  if (FindAttributeUse(op.opcode(), Attr::kUseGlobalDeviceIds) == nullptr) {
    return has_channel ? GroupMode::kCrossPartition : GroupMode::kCrossReplica;
  }
  const bool global_ids = op.Get<Attr::kUseGlobalDeviceIds>();
  if (!has_channel) return global_ids ? std::nullopt : std::optional(GroupMode::kCrossReplica);
  return global_ids ? GroupMode::kFlattenedId : GroupMode::kCrossReplicaAndPartition;
}

std::optional<int64_t> ExpectedIdCount(const DeviceCounts& devices, GroupMode mode) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return devices.replicas;
    case GroupMode::kCrossPartition:
      return devices.partitions;
    case GroupMode::kFlattenedId:
      return CheckedMul(devices.replicas, devices.partitions);
  }
  return std::nullopt;
}

bool HasGroups(const ReplicaGroups& groups) {
  return groups.form != ReplicaGroups::Form::kExplicit || !groups.groups.empty();
}

std::optional<int64_t> GroupSize(const OpView& op, const DeviceCounts& devices, GroupMode mode) {
  const ReplicaGroups groups = op.Get<Attr::kReplicaGroups>();
  const std::optional<int64_t> ids =
      HasGroups(groups) ? FirstGroupSize(groups) : ExpectedIdCount(devices, mode);
  if (!ids || mode != GroupMode::kCrossReplicaAndPartition) return ids;
  return CheckedMul(*ids, devices.partitions);
}

}  // namespace hlo
