// A group of one needs no transport: its member's work is called right here. So a collective's
// kernel is the same for one device and for many, and a device that is alone only makes sure that
// no group of the instruction is larger.
#include "interp/reference/meet.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

int64_t MeshGroupSize(const ReplicaGroups& groups) {
  int64_t size = 1;
  for (const AxisRef& axis : groups.mesh_axes) {
    size *= axis.IsWhole() ? groups.mesh.axes[axis.axis].size : axis.size;
  }
  return size;
}

// The number of participants in the largest group that is written.
int64_t LargestGroupSize(const ReplicaGroups& groups) {
  switch (groups.form) {
    case ReplicaGroups::Form::kExplicit: {
      size_t largest = 0;
      for (const IntList& group : groups.groups) largest = std::max(largest, group.size());
      return static_cast<int64_t>(largest);
    }
    case ReplicaGroups::Form::kIota:
      return groups.tile_dims.size() < 2 ? 1 : groups.tile_dims[1];
    case ReplicaGroups::Form::kMesh:
      return MeshGroupSize(groups);
  }
  HLO_UNREACHABLE();
}

bool IsListed(const ReplicaGroups& groups) {
  if (groups.form != ReplicaGroups::Form::kExplicit || groups.groups.empty()) return true;
  return std::ranges::any_of(groups.groups,
                             [](const IntList& group) { return Contains(group, 0); });
}

// A group of one is its own whatever its id, except where being in none has a meaning.
absl::StatusOr<GroupPlace> FindGroupAlone(const Evaluation& e) {
  static constexpr ParticipantId kAlone[] = {0};
  const ReplicaGroups groups = e.Get<Attr::kReplicaGroups>();
  const int64_t size = LargestGroupSize(groups);
  if (size > 1) {
    return absl::FailedPreconditionError(
        fmt::format("its groups have {} participants, and one device is running", size));
  }
  const bool may_be_outside = e.op().opcode() == Opcode::kCollectiveBroadcast;
  if (may_be_outside && !IsListed(groups)) return GroupPlace();
  return GroupPlace{kAlone, 0};
}

}  // namespace

absl::StatusOr<GroupPlace> FindGroup(Evaluation& e) {
  DeviceContext& device = e.device();
  if (device.transport() == nullptr) return FindGroupAlone(e);
  return device.transport()->FindGroup(e.op(), device.participant());
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareGroup(Evaluation& e) {
  auto state = std::make_unique<GroupState>();
  HLO_ASSIGN_OR_RETURN(state->place, FindGroup(e));
  return state;
}

absl::Status Meet(Evaluation& e, const GroupPlace& place, size_t first_result, size_t result_count,
                  MeetingWork work) {
  if (place.members.empty()) {
    return absl::InvalidArgumentError("the participant is in none of its groups");
  }
  const auto results = e.results().subspan(first_result, result_count);
  if (place.members.size() > 1) {
    return e.device().transport()->Meet(e, e.device().participant(), place, results, work);
  }
  const MeetingMember me = {e.operands(), results, &e};
  return work(e, {.members = {&me, 1}});
}

absl::Status Meet(Evaluation& e, size_t first_result, size_t result_count, MeetingWork work) {
  return Meet(e, e.state<GroupState>().place, first_result, result_count, work);
}

absl::Status Meet(Evaluation& e, MeetingWork work) { return Meet(e, 0, e.results().size(), work); }

void Zero(const MutableArrayRef& array) {
  std::memset(array.bytes, 0, static_cast<size_t>(array.byte_size()));
}

void ZeroResults(Evaluation& e, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) Zero(e.result(i));
}

}  // namespace hlo::reference
