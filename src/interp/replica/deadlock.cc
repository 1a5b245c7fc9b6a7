// What a mesh does when nobody runs any more: members that wait in different branches of a
// conditional meet, otherwise somebody has to hear who waits for whom (semantics.md 14.6).
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/replica/mesh_state.h"
#include "support/count_text.h"

namespace hlo {
namespace {

constexpr size_t kMaxNames = 8;
constexpr size_t kMaxNotes = 16;

bool HaveSameArrays(const MeetingMember& a, const MeetingMember& b) {
  return std::ranges::equal(a.operands, b.operands, [](const ArrayRef& x, const ArrayRef& y) {
    return x.element_type == y.element_type && std::ranges::equal(x.dims, y.dims);
  });
}

}  // namespace

void DeviceMesh::NobodyRuns() {
  if (IsOver()) return;
  const bool has_waiting = std::ranges::any_of(
      members_, [](const Member& member) { return member.state != Member::State::kFinished; });
  if (!has_waiting || JoinGatherings()) return;
  ReportWaiting("deadlock");
}

// Gatherings without a channel of one group and one opcode, each of members that the others lack.
bool DeviceMesh::JoinGatherings() {
  std::vector<std::shared_ptr<Gathering>> open;
  for (const Member& member : members_) {
    if (member.state != Member::State::kMeeting || member.gathering->site->channel >= 0) continue;
    if (std::ranges::find(open, member.gathering) == open.end()) open.push_back(member.gathering);
  }
  const auto first_of = [](const Gathering& gathering) -> const MeetingMember& {
    return gathering.members[gathering.first_position];
  };
  for (size_t i = 0; i < open.size(); ++i) {
    auto all = std::make_shared<Gathering>(*open[i]->site);
    std::vector<std::shared_ptr<Gathering>> parts;
    const Instruction& instruction = first_of(*open[i]).evaluation->instruction();
    for (size_t k = i; k < open.size(); ++k) {
      const Gathering& part = *open[k];
      bool fits = part.site->members == all->site->members &&
                  first_of(part).evaluation->instruction().opcode == instruction.opcode &&
                  HaveSameArrays(first_of(part), first_of(*open[i]));
      for (size_t p = 0; fits && p < part.members.size(); ++p) {
        fits = !part.HasArrived(p) || !all->HasArrived(p);
      }
      if (!fits) continue;
      for (size_t p = 0; p < part.members.size(); ++p) {
        if (part.HasArrived(p)) all->Arrive(p, part.members[p]);
      }
      parts.push_back(open[k]);
    }
    if (all->arrived < all->members.size()) continue;
    if (notes_.empty()) {
      notes_.push_back(
          {module_.id_of(instruction),
           fmt::format("`{}` and `{}` meet: they are the same to their group", instruction.name,
                       first_of(*parts.back()).evaluation->instruction().name)});
    }
    Release(*all);
    SetPhase(*all, Gathering::kWorking);
    for (const auto& part : parts) {
      part->site->open = nullptr;
      part->joined = all;
      SetPhase(*part, Gathering::kJoined);
    }
    return true;
  }
  return false;
}

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
std::string DeviceMesh::WaitText(const Member& member) const {
  if (member.state == Member::State::kMessage) {
    const ParticipantId me = &member - members_.data();
    return member.is_receiver
               ? fmt::format("{} waits for what {} has to send", ParticipantText(me, counts_),
                             ParticipantText(member.other, counts_))
               : fmt::format("{} waits until {} receives", ParticipantText(me, counts_),
                             ParticipantText(member.other, counts_));
  }
  const Gathering& gathering = *member.gathering;
  std::vector<ParticipantId> here;
  std::vector<ParticipantId> missing;
  for (size_t p = 0; p < gathering.members.size(); ++p) {
    (gathering.HasArrived(p) ? here : missing).push_back(gathering.site->members[p]);
  }
  return fmt::format("{} {} for {} (occurrence {})", Names(here),
                     here.size() == 1 ? "waits" : "wait", Names(missing),
                     gathering.site->visits[gathering.first_position]);
}

void DeviceMesh::ReportWaiting(std::string_view why) {
  MeshFailure failure;
  const Gathering* first = nullptr;
  std::vector<const Gathering*> told;
  std::vector<ParticipantId> finished;
  for (const Member& member : members_) {
    if (member.state == Member::State::kFinished) {
      finished.push_back(&member - members_.data());
      continue;
    }
    if (member.state == Member::State::kRunning) {
      failure.busy.push_back(&member - members_.data());
      continue;
    }
    const Gathering* gathering =
        member.state == Member::State::kMeeting ? member.gathering.get() : nullptr;
    if (gathering != nullptr) {
      if (std::ranges::find(told, gathering) != told.end()) continue;
      told.push_back(gathering);
    }
    if (!failure.at.valid()) {
      first = gathering;
      failure.at = member.at;
      failure.status = absl::AbortedError(fmt::format("{}: {}", why, WaitText(member)));
    } else if (failure.notes.size() < kMaxNotes) {
      failure.notes.push_back(
          {member.at,
           fmt::format("at `{}` {}", module_.instruction(member.at).name, WaitText(member))});
    }
  }
  if (!finished.empty()) {
    std::string text =
        fmt::format("{} {} finished", Names(finished), finished.size() == 1 ? "has" : "have");
    for (size_t p = 0; first != nullptr && finished.size() == 1 && p < first->members.size(); ++p) {
      if (first->site->members[p] != finished.front()) continue;
      text += fmt::format(" and came to `{}` {}", module_.instruction(failure.at).name,
                          CountText(first->site->visits[p], "time"));
    }
    failure.notes.push_back({module_.id_of(module_.root(module_.entry())), std::move(text)});
  }
  EndRun(std::move(failure));
}

}  // namespace hlo
