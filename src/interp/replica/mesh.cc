#include "interp/replica/mesh.h"

#include <algorithm>
#include <deque>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/replica/mesh_state.h"
#include "support/count_text.h"
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

int64_t ChannelOf(const OpView& op) {
  return op.Has(Attr::kChannelId) ? op.Get<Attr::kChannelId>() : -1;
}

// What differs between two members that share a channel and came to different instructions, or have
// other sizes at run time; empty: nothing that matters.
std::pair<std::string, std::string> Difference(const MeetingMember& a, const MeetingMember& b) {
  if (a.operands.size() != b.operands.size()) {
    return {CountText(static_cast<int64_t>(a.operands.size()), "array"),
            std::to_string(b.operands.size())};
  }
  const auto text = [](const ArrayRef& array) {
    return fmt::format("{}[{}]", ElementTypeName(array.element_type), fmt::join(array.dims, ","));
  };
  const OpView op = a.evaluation->op();
  const OpView other = b.evaluation->op();
  // The rows of ragged arrays are each participant's own.
  const size_t free_dims = op.opcode() == Opcode::kRaggedAllToAll ? 1 : 0;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    const ArrayRef& x = a.operands[i];
    const ArrayRef& y = b.operands[i];
    const size_t skipped = std::min(i < 2 ? free_dims : 0, x.dims.size());
    if (x.element_type != y.element_type || x.dims.size() != y.dims.size() ||
        !std::ranges::equal(x.dims.subspan(skipped), y.dims.subspan(skipped))) {
      return {text(x), text(y)};
    }
  }
  const bool has_dimensions = FindAttributeUse(op.opcode(), Attr::kDimensions) != nullptr;
  if (&op.instruction() != &other.instruction() && has_dimensions &&
      !std::ranges::equal(op.Get<Attr::kDimensions>(), other.Get<Attr::kDimensions>())) {
    return {fmt::format("dimensions={{{}}}", fmt::join(op.Get<Attr::kDimensions>(), ",")),
            fmt::format("dimensions={{{}}}", fmt::join(other.Get<Attr::kDimensions>(), ","))};
  }
  return {};
}

}  // namespace

DeviceMesh::DeviceMesh(const Module& module, const DeviceCounts& counts,
                       ParticipantScheduler& scheduler, std::function<void()> stop_running)
    : module_(module),
      counts_(counts),
      scheduler_(scheduler),
      stop_running_(std::move(stop_running)),
      tables_(module.instructions().size()),
      pairs_(module.instructions().size()),
      members_(static_cast<size_t>(counts.replicas * counts.partitions)) {
  std::set<int64_t> sending, receiving;
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.Get<Attr::kIsHostTransfer>()) continue;
    if (instruction.opcode == Opcode::kSend) sending.insert(instruction.Get<Attr::kChannelId>());
    if (instruction.opcode == Opcode::kRecv) receiving.insert(instruction.Get<Attr::kChannelId>());
  }
  std::ranges::set_intersection(sending, receiving,
                                std::inserter(whole_channels_, whole_channels_.end()));
}

DeviceMesh::~DeviceMesh() = default;

// --- Groups ------------------------------------------------------------------------------------

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
    if (site == nullptr) {
      site = std::make_unique<Site>();
      site->channel = channel;
      site->members = group;
      site->visits.resize(group.size());
    }
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

absl::StatusOr<GroupPlace> DeviceMesh::FindGroup(const OpView& op, ParticipantId me) {
  HLO_ASSIGN_OR_RETURN(const Table* table, FindTable(op));
  const Table::Place& place = table->places[static_cast<size_t>(me)];
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

// --- Begin and end -----------------------------------------------------------------------------

void DeviceMesh::Begin() {
  Lock lock(mutex_);
  running_count_ = participant_count();
  queues_.clear();
  for (Member& member : members_) {
    member.state = Member::State::kRunning;
    member.gathering = nullptr;
  }
  for (auto& [key, site] : sites_) {
    site->open = nullptr;
    std::ranges::fill(site->visits, 0);
  }
}

void DeviceMesh::Finish(ParticipantId me) {
  Lock lock(mutex_);
  ++progress_;
  members_[static_cast<size_t>(me)].state = Member::State::kFinished;
  if (--running_count_ == 0) NobodyRuns();
}

void DeviceMesh::Fail(ParticipantId me, InstructionId at, absl::Status status) {
  Lock lock(mutex_);
  ++progress_;
  members_[static_cast<size_t>(me)].state = Member::State::kFinished;
  --running_count_;
  if (!IsOver())
    EndRun({.participant = me, .at = at, .status = std::move(status), .notes = {}, .busy = {}});
}

void DeviceMesh::Stop(absl::Status status) {
  Lock lock(mutex_);
  if (!IsOver()) {
    EndRun({.participant = {}, .at = {}, .status = std::move(status), .notes = {}, .busy = {}});
  }
}

int64_t DeviceMesh::progress() {
  Lock lock(mutex_);
  return progress_;
}

void DeviceMesh::StopWaiting(std::string_view why) {
  Lock lock(mutex_);
  const bool has_waiting = std::ranges::any_of(members_, [](const Member& member) {
    return member.state == Member::State::kMeeting || member.state == Member::State::kMessage;
  });
  if (!IsOver() && has_waiting) ReportWaiting(why);
}

absl::Status DeviceMesh::Stopped() const {
  return absl::CancelledError("another participant has ended the run");
}

void DeviceMesh::Wake(Member& member) {
  member.signal.store(1, std::memory_order_release);
  scheduler_.Unpark(&member - members_.data());
}

void DeviceMesh::EndRun(MeshFailure failure) {
  failure_ = std::move(failure);
  stop_running_();
  for (Member& member : members_) {
    if (member.state == Member::State::kMeeting) {
      SetPhase(*member.gathering, Gathering::kStopped);
    } else if (member.state == Member::State::kMessage) {
      Wake(member);
    } else {
      continue;
    }
    member.state = Member::State::kRunning;
    ++running_count_;
  }
}

// --- Meetings ----------------------------------------------------------------------------------

// Whoever came first: the participant with the higher number is told what the other one has.
bool DeviceMesh::Agrees(const Gathering& gathering, Evaluation& e, size_t position) {
  if (gathering.arrived == 0) return true;
  const std::vector<ParticipantId>& ids = gathering.site->members;
  ParticipantId low = ids[gathering.first_position];
  ParticipantId high = ids[position];
  MeetingMember first = gathering.members[gathering.first_position];
  MeetingMember second = {.operands = e.operands(), .results = {}, .evaluation = &e};
  if (low > high) {
    std::swap(low, high);
    std::swap(first, second);
  }
  const auto [theirs, own] = Difference(first, second);
  if (theirs.empty()) return true;
  EndRun({.participant = {},
          .at = module_.id_of(second.evaluation->instruction()),
          .status = absl::InvalidArgumentError(fmt::format(
              "{} has {} here, {} has {} at `{}`", ParticipantText(high, counts_), own,
              ParticipantText(low, counts_), theirs, first.evaluation->instruction().name)),
          .notes = {},
          .busy = {}});
  return false;
}

// Members look at the phase whenever they are woken.
void DeviceMesh::SetPhase(Gathering& gathering, uint32_t phase) {
  gathering.phase.store(phase, std::memory_order_release);
  for (ParticipantId id : gathering.site->members) scheduler_.Unpark(id);
}

// Those who waited run again.
void DeviceMesh::Release(Gathering& gathering) {
  for (ParticipantId id : gathering.site->members) {
    Member& member = members_[static_cast<size_t>(id)];
    if (member.state != Member::State::kMeeting) continue;
    member.state = Member::State::kRunning;
    ++running_count_;
  }
}

// The member's failure is known before the others hear that they are stopped.
absl::Status DeviceMesh::FailMeeting(Gathering& gathering, size_t position, absl::Status status) {
  const Instruction& instruction = gathering.members[position].evaluation->instruction();
  {
    Lock lock(mutex_);
    if (!IsOver()) {
      EndRun({.participant = gathering.site->members[position],
              .at = module_.id_of(instruction),
              .status = std::move(status),
              .notes = {},
              .busy = {}});
    }
  }
  SetPhase(gathering, Gathering::kStopped);
  return Stopped();
}

// One member's part; the last one to be done lets all go on.
absl::Status DeviceMesh::DoOwn(Gathering& gathering, size_t position, MeetingWork work) {
  const size_t count = gathering.members.size();
  const Meeting meeting = {
      .members = gathering.members, .position = position, .share = position, .share_count = count};
  Evaluation& e = *gathering.members[position].evaluation;
  absl::Status status = work(e, meeting);
  if (!status.ok()) return FailMeeting(gathering, position, std::move(status));
  if (gathering.done.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
    SetPhase(gathering, Gathering::kDone);
  }
  const ParticipantId me = gathering.site->members[position];
  while (gathering.phase.load(std::memory_order_acquire) == Gathering::kWorking) {
    scheduler_.Park(me);
  }
  return gathering.phase.load(std::memory_order_acquire) == Gathering::kDone ? absl::OkStatus()
                                                                             : Stopped();
}

// Everybody's part, one after the other, by whoever came last.
absl::Status DeviceMesh::DoAll(Gathering& gathering, MeetingWork work) {
  const size_t count = gathering.members.size();
  for (size_t i = 0; i < count; ++i) {
    const Meeting meeting = {
        .members = gathering.members, .position = i, .share = i, .share_count = count};
    Evaluation& e = *gathering.members[i].evaluation;
    absl::Status status = work(e, meeting);
    if (!status.ok()) return FailMeeting(gathering, i, std::move(status));
  }
  SetPhase(gathering, Gathering::kDone);
  return absl::OkStatus();
}

absl::Status DeviceMesh::AwaitGathering(ParticipantId me, std::shared_ptr<Gathering> gathering,
                                        size_t position, MeetingWork work) {
  for (;;) {
    switch (gathering->phase.load(std::memory_order_acquire)) {
      case Gathering::kGathering:
        scheduler_.Park(me);
        continue;
      case Gathering::kWorking:
        return DoOwn(*gathering, position, work);
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
  std::shared_ptr<Gathering> gathering;
  bool is_last = false;
  {
    Lock lock(mutex_);
    if (IsOver()) return Stopped();
    if (site.open == nullptr) site.open = std::make_shared<Gathering>(site);
    gathering = site.open;
    if (!Agrees(*gathering, e, place.position)) return Stopped();
    ++progress_;
    ++site.visits[place.position];
    gathering->Arrive(place.position, {e.operands(), results, &e});
    is_last = gathering->arrived == site.members.size();
    if (is_last) {
      site.open = nullptr;
      Release(*gathering);
      if (gathering->byte_size >= kMinSharedByteSize) SetPhase(*gathering, Gathering::kWorking);
    } else {
      Member& member = members_[static_cast<size_t>(me)];
      member.state = Member::State::kMeeting;
      member.gathering = gathering;
      member.at = module_.id_of(e.instruction());
      if (--running_count_ == 0) NobodyRuns();
    }
  }
  if (is_last && gathering->byte_size < kMinSharedByteSize) return DoAll(*gathering, work);
  return AwaitGathering(me, std::move(gathering), place.position, work);
}

void DeviceMesh::Gathering::Arrive(size_t position, MeetingMember member) {
  if (arrived == 0) first_position = position;
  ++arrived;
  byte_size += ByteSizeOf(member);
  members[position] = member;
}

// --- Messages ----------------------------------------------------------------------------------

DeviceMesh::Queue& DeviceMesh::QueueOf(const MessageRoute& route) {
  constexpr int64_t kAnyChannel = INT64_MAX;
  const bool is_transfer = route.kind == MessageRoute::Kind::kTransfer;
  const bool is_joined = is_transfer && !whole_channels_.contains(route.channel);
  const bool is_own = route.channel < 0 && !is_transfer;
  const InstructionId own = is_own ? module_.id_of(*route.instruction) : InstructionId();
  std::unique_ptr<Queue>& queue = queues_[QueueKey(
      route.kind, is_joined ? kAnyChannel : route.channel, own, route.source, route.target)];
  if (queue == nullptr) queue = std::make_unique<Queue>();
  return *queue;
}

void DeviceMesh::WakeWaiter(ParticipantId id, const Queue& queue, int64_t ticket,
                            bool is_receiver) {
  Member& member = members_[static_cast<size_t>(id)];
  if (member.state != Member::State::kMessage || member.queue != &queue ||
      member.ticket != ticket || member.is_receiver != is_receiver) {
    return;
  }
  member.state = Member::State::kRunning;
  ++running_count_;
  Wake(member);
}

absl::StatusOr<int64_t> DeviceMesh::Send(Evaluation&, const MessageRoute& route, Message message) {
  Lock lock(mutex_);
  if (IsOver()) return Stopped();
  Queue& queue = QueueOf(route);
  ++progress_;
  const int64_t ticket = queue.sent_count++;
  queue.messages.emplace(ticket, std::move(message));
  WakeWaiter(route.target, queue, ticket, /*is_receiver=*/true);
  return ticket;
}

absl::StatusOr<int64_t> DeviceMesh::Announce(Evaluation&, const MessageRoute& route) {
  Lock lock(mutex_);
  if (IsOver()) return Stopped();
  Queue& queue = QueueOf(route);
  ++progress_;
  const int64_t ticket = queue.announced_count++;
  WakeWaiter(route.source, queue, ticket, /*is_receiver=*/false);
  return ticket;
}

absl::Status DeviceMesh::AwaitMessage(Lock& lock, Evaluation& e, ParticipantId me,
                                      const MessageRoute& route, int64_t ticket, bool is_receiver) {
  Member& member = members_[static_cast<size_t>(me)];
  member.state = Member::State::kMessage;
  member.queue = &QueueOf(route);
  member.other = is_receiver ? route.source : route.target;
  member.ticket = ticket;
  member.is_receiver = is_receiver;
  member.at = module_.id_of(e.instruction());
  member.signal.store(0, std::memory_order_relaxed);
  if (--running_count_ == 0) NobodyRuns();
  lock.unlock();
  while (member.signal.load(std::memory_order_acquire) == 0) scheduler_.Park(me);
  lock.lock();
  return IsOver() ? Stopped() : absl::OkStatus();
}

absl::StatusOr<Message> DeviceMesh::Receive(Evaluation& e, const MessageRoute& route,
                                            int64_t ticket) {
  Lock lock(mutex_);
  if (IsOver()) return Stopped();
  Queue& queue = QueueOf(route);
  auto found = queue.messages.find(ticket);
  if (found == queue.messages.end()) {
    HLO_RETURN_IF_ERROR(AwaitMessage(lock, e, route.target, route, ticket, /*is_receiver=*/true));
    found = queue.messages.find(ticket);
    HLO_CHECK(found != queue.messages.end());
  }
  Message message = std::move(found->second);
  queue.messages.erase(found);
  return message;
}

absl::Status DeviceMesh::AwaitReceiver(Evaluation& e, const MessageRoute& route, int64_t ticket) {
  Lock lock(mutex_);
  if (IsOver()) return Stopped();
  if (QueueOf(route).announced_count > ticket) return absl::OkStatus();
  return AwaitMessage(lock, e, route.source, route, ticket, /*is_receiver=*/false);
}

}  // namespace hlo
