// Who meets whom: the groups and pairs of instructions, worked out when the first participant comes
// there.
#include <algorithm>

#include "interp/replica/mesh_state.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

int64_t ChannelOf(const OpView& op) {
  return op.Has(Attr::kChannelId) ? op.Get<Attr::kChannelId>() : -1;
}

}  // namespace

OpView DeviceMesh::OpOf(InstructionId id) const { return OpView(module_, module_.instruction(id)); }

std::unique_ptr<DeviceMesh::Site> DeviceMesh::MakeSite(int64_t channel,
                                                       std::vector<ParticipantId> members) const {
  auto site = std::make_unique<Site>();
  site->channel = channel;
  site->visits.resize(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    if (IsHere(members[i])) {
      site->local.push_back(i);
      site->scheduled.push_back(members[i] - local_.first);
    } else {
      site->elsewhere.push_back(RankOf(members[i]));
    }
  }
  std::ranges::sort(site->elsewhere);
  site->elsewhere.erase(std::unique(site->elsewhere.begin(), site->elsewhere.end()),
                        site->elsewhere.end());
  site->members = std::move(members);
  return site;
}

absl::StatusOr<std::unique_ptr<DeviceMesh::Table>> DeviceMesh::MakeTable(const OpView& op) {
  auto table = std::make_unique<Table>();
  const bool has_groups = FindAttributeUse(op.opcode(), Attr::kReplicaGroups) != nullptr;
  IdGroups groups = Replicas();
  if (has_groups) {
    HLO_ASSIGN_OR_RETURN(groups, ParticipantGroups(op, counts_));
  }
  table->places.resize(members_.size());
  const int64_t channel = ChannelOf(op);
  const InstructionId own = channel < 0 ? module_.id_of(op.instruction()) : InstructionId();
  for (const std::vector<ParticipantId>& group : groups) {
    std::unique_ptr<Site>& site = sites_[SiteKey(channel, op.opcode(), own, group)];
    if (site == nullptr) site = MakeSite(channel, group);
    for (size_t i = 0; i < group.size(); ++i) {
      table->places[static_cast<size_t>(group[i])] = {site.get(), i};
    }
  }
  return table;
}

// What names no groups joins the partitions of each replica.
IdGroups DeviceMesh::Replicas() const {
  IdGroups groups(static_cast<size_t>(counts_.replicas));
  for (ParticipantId id = 0; id < participant_count(); ++id) {
    groups[static_cast<size_t>(ReplicaOf(id, counts_))].push_back(id);
  }
  return groups;
}

absl::StatusOr<DeviceMesh::Table*> DeviceMesh::FindTable(const OpView& op) {
  std::lock_guard lock(tables_mutex_);
  std::unique_ptr<Table>& table = tables_[module_.id_of(op.instruction()).value];
  if (table == nullptr) {
    HLO_ASSIGN_OR_RETURN(table, MakeTable(op));
  }
  return table.get();
}

DeviceMesh::Place DeviceMesh::PlaceOf(ParticipantId id, InstructionId at) {
  const absl::StatusOr<Table*> table = FindTable(OpOf(at));
  return table.ok() ? (*table)->places[static_cast<size_t>(id)] : Place();
}

absl::StatusOr<GroupPlace> DeviceMesh::FindGroup(const OpView& op, ParticipantId me) {
  HLO_ASSIGN_OR_RETURN(const Table* table, FindTable(op));
  const Place& place = table->places[static_cast<size_t>(me)];
  if (place.site == nullptr) return GroupPlace();
  return GroupPlace{place.site->members, place.position};
}

absl::StatusOr<std::span<const ParticipantPair>> DeviceMesh::FindPairs(const OpView& op) {
  std::lock_guard lock(tables_mutex_);
  auto& pairs = pairs_[module_.id_of(op.instruction()).value];
  if (pairs == nullptr) {
    HLO_ASSIGN_OR_RETURN(std::vector<ParticipantPair> found, PermutePairs(op, counts_));
    pairs = std::make_unique<std::vector<ParticipantPair>>(std::move(found));
  }
  return std::span<const ParticipantPair>(*pairs);
}

}  // namespace hlo
