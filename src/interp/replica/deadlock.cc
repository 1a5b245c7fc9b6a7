// What a mesh does when nobody runs any more: members that wait in different branches of a
// conditional meet, otherwise somebody has to hear who waits for whom (semantics.md 14.6).
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/replica/member_difference.h"
#include "interp/replica/mesh_state.h"
#include "support/count_text.h"

namespace hlo {
namespace {

constexpr size_t kMaxNames = 8;
constexpr size_t kMaxNotes = 16;

}  // namespace

// Of several processes the first one finds out itself (IsQuietEverywhere).
void DeviceMesh::NobodyRuns() {
  if (!IsOver() && processes_ == nullptr) NobodyRunsAnywhere();
}

void DeviceMesh::NobodyRunsAnywhere() {
  const bool has_waiting = std::ranges::any_of(
      members_, [](const Member& member) { return member.state != Member::State::kFinished; });
  if (!has_waiting || JoinGatherings()) return;
  EndRun(DescribeWaiting("deadlock"));
}

std::optional<MeshFailure> DeviceMesh::WaitingUnderLock(std::string_view why) {
  const bool has_waiting = std::ranges::any_of(members_, [](const Member& member) {
    return member.state == Member::State::kMeeting || member.state == Member::State::kMessage;
  });
  if (IsOver() || !has_waiting) return std::nullopt;
  return DescribeWaiting(why);
}

std::optional<MeshFailure> DeviceMesh::FindWaiting(std::string_view why) {
  Lock lock(mutex_);
  return WaitingUnderLock(why);
}

void DeviceMesh::StopWaiting(std::string_view why) {
  Lock lock(mutex_);
  if (std::optional<MeshFailure> waiting = WaitingUnderLock(why)) EndRun(*std::move(waiting));
}

// --- Branches ----------------------------------------------------------------------------------

// Null: at none.
DeviceMesh::Site* DeviceMesh::WaitsAt(const Member& member) {
  if (member.state != Member::State::kMeeting) return nullptr;
  return PlaceOf(&member - members_.data(), member.at).site;
}

uint64_t DeviceMesh::SignatureOf(const Member& member) const {
  if (member.gathering == nullptr) return member.signature;
  const Gathering& gathering = *member.gathering;
  const auto& ids = gathering.site->members;
  const auto position =
      std::ranges::find(ids, static_cast<ParticipantId>(&member - members_.data())) - ids.begin();
  return OperandSignature(gathering.members[static_cast<size_t>(position)].operands);
}

// Meetings without a channel of one group and one opcode, with operands of the same kinds.
bool DeviceMesh::MayJoin(const Member& member, const Member& first, const Site& site) {
  const Site* own = WaitsAt(member);
  return own != nullptr && own->channel < 0 && own->members == site.members &&
         module_.instruction(member.at).opcode == module_.instruction(first.at).opcode &&
         SignatureOf(member) == SignatureOf(first);
}

bool DeviceMesh::JoinGatherings() {
  for (Member& first : members_) {
    const Site* site = WaitsAt(first);
    if (site == nullptr || site->channel >= 0) continue;
    if (site->members.front() != &first - members_.data()) continue;
    const bool fits = std::ranges::all_of(
        site->members, [&](ParticipantId id) { return MayJoin(MemberOf(id), first, *site); });
    if (!fits) continue;
    std::vector<InstructionId> at;
    for (ParticipantId id : site->members) at.push_back(MemberOf(id).at);
    if (notes_.empty()) {
      notes_.push_back(
          {at.front(), fmt::format("`{}` and `{}` meet: they are the same to their group",
                                   module_.instruction(at.front()).name,
                                   module_
                                       .instruction(*std::ranges::find_if(
                                           at, [&](InstructionId id) { return id != at[0]; }))
                                       .name)});
    }
    PostJoin(*site, at);
    if (!site->local.empty()) Join(site->members, at);
    return true;
  }
  return false;
}

// The members `ids` of a group, who wait at the instructions `at`, meet.
void DeviceMesh::Join(std::span<const ParticipantId> ids, std::span<const InstructionId> at) {
  auto all = std::make_shared<Gathering>(*PlaceOf(ids[0], at[0]).site);
  for (size_t p = 0; p < ids.size(); ++p) {
    Site& site = *PlaceOf(ids[p], at[p]).site;
    all->Add(p, site.open.front()->arrivals[p]);
  }
  Release(*all);
  BeginWork(all);
  for (size_t p = 0; p < ids.size(); ++p) {
    Site& site = *PlaceOf(ids[p], at[p]).site;
    if (site.open.empty()) continue;  // another member's
    const std::shared_ptr<Gathering> part = std::move(site.open.front());
    site.open.pop_front();
    part->joined = all;
    SetPhase(*part, Gathering::kJoined);
  }
}

// --- Reports -----------------------------------------------------------------------------------

std::string DeviceMesh::Names(std::span<const ParticipantId> ids) const {
  std::vector<std::string> names;
  for (ParticipantId id : ids.first(std::min(ids.size(), kMaxNames))) {
    names.push_back(ParticipantText(id, counts_));
  }
  if (ids.size() > kMaxNames) {
    return fmt::format("{} and {} more", fmt::join(names, ", "), ids.size() - kMaxNames);
  }
  // Names with a comma in them need another separator.
  return fmt::format(
      "{}", fmt::join(names, counts_.partitions > 1 && counts_.replicas > 1 ? "; " : ", "));
}

// "replica 0 waits for replica 1 (occurrence 2)".
std::string DeviceMesh::WaitText(const Member& member) {
  if (member.state == Member::State::kMessage) {
    const ParticipantId me = &member - members_.data();
    return member.is_receiver
               ? fmt::format("{} waits for what {} has to send", ParticipantText(me, counts_),
                             ParticipantText(member.other, counts_))
               : fmt::format("{} waits until {} receives", ParticipantText(me, counts_),
                             ParticipantText(member.other, counts_));
  }
  const Site* site = WaitsAt(member);
  std::vector<ParticipantId> here;
  std::vector<ParticipantId> missing;
  for (ParticipantId id : site->members) {
    (WaitsAt(MemberOf(id)) == site ? here : missing).push_back(id);
  }
  return fmt::format("{} {} for {} (occurrence {})", Names(here),
                     here.size() == 1 ? "waits" : "wait", Names(missing), member.occurrence);
}

// "replica 1 has finished and came to `sum` 0 times"; `first` is the one that the report begins
// with.
std::string DeviceMesh::FinishedText(std::span<const ParticipantId> finished, const Member* first) {
  std::string text =
      fmt::format("{} {} finished", Names(finished), finished.size() == 1 ? "has" : "have");
  const Site* site = first == nullptr || finished.size() > 1 ? nullptr : WaitsAt(*first);
  if (site == nullptr) return text;
  const auto found = std::ranges::find(site->members, finished.front());
  if (found == site->members.end()) return text;
  // Members of one group come to a meeting as often, but for those that others joined.
  const int64_t visits = site->local.empty()
                             ? first->occurrence - 1
                             : site->visits[static_cast<size_t>(found - site->members.begin())];
  return text + fmt::format(" and came to `{}` {}", module_.instruction(first->at).name,
                            CountText(visits, "time"));
}

MeshFailure DeviceMesh::DescribeWaiting(std::string_view why) {
  MeshFailure failure;
  const Member* first = nullptr;
  std::vector<const Site*> told;
  std::vector<ParticipantId> finished;
  for (const Member& member : members_) {
    const ParticipantId id = &member - members_.data();
    if (member.state == Member::State::kFinished) {
      finished.push_back(id);
      continue;
    }
    if (member.state == Member::State::kRunning) {
      failure.busy.push_back(id);
      continue;
    }
    if (const Site* site = WaitsAt(member)) {
      if (std::ranges::find(told, site) != told.end()) continue;
      told.push_back(site);
    }
    if (first == nullptr) {
      first = &member;
      failure.at = member.at;
      failure.status = absl::DeadlineExceededError(fmt::format("{}: {}", why, WaitText(member)));
    } else if (failure.notes.size() < kMaxNotes) {
      failure.notes.push_back(
          {member.at,
           fmt::format("at `{}` {}", module_.instruction(member.at).name, WaitText(member))});
    }
  }
  if (!finished.empty()) {
    failure.notes.push_back(
        {module_.id_of(module_.root(module_.entry())), FinishedText(finished, first)});
  }
  return failure;
}

}  // namespace hlo
