// Meetings: members come, and when all are there each does its share of the work for the members of
// this process.
#include <algorithm>

#include <fmt/format.h>

#include "interp/replica/member_difference.h"
#include "interp/replica/mesh_state.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

// Below so many bytes, operands and results of all members together, waking everybody to do its
// share takes longer than one doing it all.
constexpr int64_t kMinSharedByteSize = 1 << 20;

int64_t ByteSizeOf(const MeetingMember& member) {
  int64_t byte_size = 0;
  for (const ArrayRef& operand : member.operands) byte_size += operand.byte_size();
  for (const MutableArrayRef& result : member.results) byte_size += result.byte_size();
  return byte_size;
}

}  // namespace

void DeviceMesh::Gathering::Add(size_t position, Arrival arrival) {
  if (arrived == 0) {
    first_position = position;
    carriage = arrival.carriage;
  } else if (carriage != arrival.carriage) {
    carriage = {.kind = Carriage::Kind::kGather};
  }
  ++arrived;
  byte_size += ByteSizeOf(arrival.member);
  members[position] = arrival.member;
  arrivals[position] = std::move(arrival);
}

void DeviceMesh::Gathering::Forget() {
  if (site->elsewhere.empty()) return;
  for (Arrival& arrival : arrivals) arrival.remote = nullptr;
}

// --- Coming ------------------------------------------------------------------------------------

// The first one that lacks the member: it comes to them in order.
std::shared_ptr<DeviceMesh::Gathering> DeviceMesh::GatheringFor(Site& site, size_t position) {
  for (const std::shared_ptr<Gathering>& gathering : site.open) {
    if (!gathering->HasArrived(position)) return gathering;
  }
  return site.open.emplace_back(std::make_shared<Gathering>(site));
}

// Whoever came first: the participant with the higher number is told what the other one has.
bool DeviceMesh::Agrees(const Gathering& gathering, const Arrival& arrival, size_t position) {
  if (gathering.arrived == 0) return true;
  const std::vector<ParticipantId>& ids = gathering.site->members;
  ParticipantId low = ids[gathering.first_position];
  ParticipantId high = ids[position];
  const Arrival* first = &gathering.arrivals[gathering.first_position];
  const Arrival* second = &arrival;
  if (low > high) {
    std::swap(low, high);
    std::swap(first, second);
  }
  const auto met = [&](const Arrival& one) {
    return MetOperation{OpView(module_, *one.instruction), one.member.operands};
  };
  const MemberDifference difference = FindDifference(met(*first), met(*second));
  if (difference.first.empty()) return true;
  EndRun(MeshFailure(
      {}, module_.id_of(*second->instruction),
      absl::InvalidArgumentError(fmt::format(
          "{} has {} here, {} has {} at `{}`", ParticipantText(high, counts_), difference.second,
          ParticipantText(low, counts_), difference.first, first->instruction->name))));
  return false;
}

// False: the run is over.
bool DeviceMesh::Arrive(Gathering& gathering, size_t position, Arrival arrival) {
  if (!Agrees(gathering, arrival, position)) return false;
  ++progress_;
  Site& site = *gathering.site;
  arrival.visit = ++site.visits[position];
  gathering.Add(position, std::move(arrival));
  if (!gathering.IsComplete()) return true;
  std::erase_if(site.open, [&](const auto& open) { return open.get() == &gathering; });
  Release(gathering);
  return true;
}

// Those who waited run again.
void DeviceMesh::Release(Gathering& gathering) {
  for (size_t position : gathering.site->local) {
    Member& member = MemberOf(gathering.site->members[position]);
    if (member.state != Member::State::kMeeting) continue;
    member.state = Member::State::kRunning;
    ++running_count_;
  }
}

// All are there, and the operands of all as well, or soon.
void DeviceMesh::BeginWork(const std::shared_ptr<Gathering>& gathering) {
  if (gathering->IsCarried()) return Carry(gathering);
  SetPhase(*gathering, Gathering::kWorking);
}

// Members look at the phase whenever they are woken.
void DeviceMesh::SetPhase(Gathering& gathering, uint32_t phase) {
  gathering.phase.store(phase, std::memory_order_release);
  scheduler_.Unpark(gathering.site->scheduled);
}

// --- Working -----------------------------------------------------------------------------------

// The member's failure is known before the others hear that they are stopped.
absl::Status DeviceMesh::FailMeeting(Gathering& gathering, size_t position, absl::Status status) {
  {
    Lock lock(mutex_);
    if (!IsOver()) {
      EndRun(MeshFailure(gathering.site->members[position],
                         module_.id_of(*gathering.arrivals[position].instruction),
                         std::move(status)));
    }
  }
  SetPhase(gathering, Gathering::kStopped);
  return Stopped();
}

// One member's part; the last one to be done lets all go on.
absl::Status DeviceMesh::DoOwn(const std::shared_ptr<Gathering>& gathering, size_t position,
                               MeetingWork work) {
  const std::vector<size_t>& local = gathering->site->local;
  const auto share = static_cast<size_t>(std::ranges::find(local, position) - local.begin());
  const bool is_partial = !gathering->local_members.empty();
  const Meeting meeting = {.members = is_partial ? gathering->local_members : gathering->members,
                           .position = is_partial ? share : position,
                           .share = share,
                           .share_count = local.size()};
  absl::Status status = work(*gathering->members[position].evaluation, meeting);
  if (!status.ok()) return FailMeeting(*gathering, position, std::move(status));
  if (gathering->done.fetch_add(1, std::memory_order_acq_rel) + 1 == local.size()) {
    if (is_partial) {
      Lock lock(mutex_);
      AwaitTurn(gathering);
    } else {
      gathering->Forget();
      SetPhase(*gathering, Gathering::kDone);
    }
  }
  const int64_t me = gathering->site->members[position] - local_.first;
  const auto is_under_way = [&] {
    const uint32_t phase = gathering->phase.load(std::memory_order_acquire);
    return phase == Gathering::kWorking || phase == Gathering::kMoving;
  };
  while (is_under_way()) scheduler_.Park(me);
  return gathering->phase.load(std::memory_order_acquire) == Gathering::kDone ? absl::OkStatus()
                                                                              : Stopped();
}

// Everybody's part, one after the other, by whoever came last.
absl::Status DeviceMesh::DoAll(Gathering& gathering, MeetingWork work) {
  const std::vector<size_t>& local = gathering.site->local;
  for (size_t share = 0; share < local.size(); ++share) {
    const Meeting meeting = {.members = gathering.members,
                             .position = local[share],
                             .share = share,
                             .share_count = local.size()};
    absl::Status status = work(*meeting.me().evaluation, meeting);
    if (!status.ok()) return FailMeeting(gathering, local[share], std::move(status));
  }
  gathering.Forget();
  SetPhase(gathering, Gathering::kDone);
  return absl::OkStatus();
}

absl::Status DeviceMesh::AwaitGathering(ParticipantId me, std::shared_ptr<Gathering> gathering,
                                        size_t position, MeetingWork work) {
  for (;;) {
    switch (gathering->phase.load(std::memory_order_acquire)) {
      case Gathering::kGathering:
        scheduler_.Park(me - local_.first);
        continue;
      case Gathering::kWorking:
        return DoOwn(gathering, position, work);
      case Gathering::kDone:
        return absl::OkStatus();
      case Gathering::kJoined:
        gathering = gathering->joined;
        continue;
      default:
        return Stopped();
    }
  }
}

absl::Status DeviceMesh::Meet(Evaluation& e, ParticipantId me, const GroupPlace& place,
                              std::span<const MutableArrayRef> results, MeetingWork work) {
  HLO_ASSIGN_OR_RETURN(const Table* table, FindTable(e.op()));
  Site& site = *table->places[static_cast<size_t>(me)].site;
  const Carriage carriage = CarriageOf(e, site);
  const SharedPacket packet = site.elsewhere.empty() ? nullptr : PackArrival(e, me, carriage);
  std::shared_ptr<Gathering> gathering;
  bool does_all = false;
  {
    Lock lock(mutex_);
    if (IsOver()) return Stopped();
    gathering = GatheringFor(site, place.position);
    if (!Arrive(*gathering, place.position,
                {&e.instruction(), {e.operands(), results, &e}, carriage, nullptr})) {
      return Stopped();
    }
    for (int64_t rank : site.elsewhere) Post(rank, packet);
    if (gathering->IsComplete()) {
      does_all = gathering->byte_size < kMinSharedByteSize && !gathering->IsCarried();
      if (!does_all) BeginWork(gathering);
    } else {
      Member& member = MemberOf(me);
      member.state = Member::State::kMeeting;
      member.gathering = gathering;
      member.at = module_.id_of(e.instruction());
      member.occurrence = site.visits[place.position];
      if (--running_count_ == 0) NobodyRuns();
    }
  }
  if (does_all) return DoAll(*gathering, work);
  return AwaitGathering(me, std::move(gathering), place.position, work);
}

}  // namespace hlo
