// Participants in several processes. What can make somebody run, an arrival at a meeting, a
// message, its announcement, is counted by who sends and who receives it. Each process tells
// process 0 when nothing changes in it any more: where its participants are, and its counts. When
// nobody runs in any process and all that was sent was received, nothing is on its way either, and
// nothing will happen again: packets between two processes keep their order, so equal counts mean
// that the reports, though made at different times, make up one moment of the run.
#include <algorithm>

#include <fmt/format.h>

#include "interp/replica/mesh_state.h"

namespace hlo {
namespace {

enum class PacketKind : uint8_t {
  kArrival,       // a member comes to a meeting
  kMessage,       // arrays for a participant
  kAnnouncement,  // a participant takes its next message
  kJoin,          // members that wait at different instructions meet
  kReport,        // where participants are; or a sign of life alone
  kFailure,       // the run is over
  kGo,            // it is the turn of a meeting whose operands a team moves
  kEnd,           // all of a process's participants are back
};

using std::chrono::milliseconds;
using std::chrono::seconds;

// A process in which nothing changes for so long has come to rest.
constexpr milliseconds kRest(1);
constexpr milliseconds kReportInterval(50);
constexpr seconds kSignInterval(1);
// A process that was not heard of for so long is gone.
constexpr seconds kMaxSilence(10);

PacketWriter NewPacket(ProcessGroup::Phase phase, PacketKind kind) {
  PacketWriter writer = ProcessGroup::NewPacket(phase);
  writer.Add(kind);
  return writer;
}

}  // namespace

int64_t DeviceMesh::RankOf(ParticipantId id) const {
  return processes_ == nullptr ? 0 : ProcessOf(id, processes_->size(), participant_count());
}

// Under the lock: what is counted is on its way.
void DeviceMesh::Post(int64_t rank, const SharedPacket& packet) {
  ++peers_[static_cast<size_t>(rank)].sent;
  processes_->Post(rank, packet);
  scheduler_.Hurry();
}

// --- What can make somebody run ----------------------------------------------------------------

SharedPacket DeviceMesh::PackArrival(const Evaluation& e, ParticipantId me,
                                     const Carriage& carriage) const {
  PacketWriter writer = NewPacket(phase_, PacketKind::kArrival);
  const bool has_bytes = carriage.kind == Carriage::Kind::kPacket;
  int64_t byte_size = 0;
  for (const ArrayRef& operand : e.operands()) byte_size += operand.byte_size();
  if (has_bytes) writer.Reserve(byte_size);
  writer.Add(me).Add(module_.id_of(e.instruction())).Add(carriage).Add(e.operands().size());
  for (const ArrayRef& operand : e.operands()) {
    if (has_bytes) {
      writer.AddArray(operand);
    } else {
      writer.Add(operand.element_type).AddNumbers(operand.dims);
    }
  }
  return writer.Finish();
}

void DeviceMesh::TakeArrival(ProcessGroup::Incoming& incoming) {
  PacketReader& reader = incoming.reader();
  const auto who = reader.Take<ParticipantId>();
  const auto at = reader.Take<InstructionId>();
  const auto carriage = reader.Take<Carriage>();
  auto operands = std::make_shared<RemoteOperands>();
  operands->storage = incoming.storage();
  operands->dims.resize(reader.Take<size_t>());
  for (std::vector<int64_t>& dims : operands->dims) {
    if (carriage.kind == Carriage::Kind::kPacket) {
      operands->arrays.push_back(reader.TakeArray(dims));
    } else {
      ArrayRef& array = operands->arrays.emplace_back();
      array.element_type = reader.Take<ElementType>();
      dims = reader.TakeNumbers();
      array.dims = dims;
    }
  }
  const Place place = PlaceOf(who, at);
  HLO_CHECK(place.site != nullptr);
  Lock lock(mutex_);
  if (IsOver()) return;
  const std::shared_ptr<Gathering> gathering = GatheringFor(*place.site, place.position);
  Arrival arrival = {&module_.instruction(at), {operands->arrays, {}, nullptr}, carriage, operands};
  const bool goes_on = Arrive(*gathering, place.position, std::move(arrival));
  if (goes_on && gathering->IsComplete()) BeginWork(gathering);
}

void DeviceMesh::PackRoute(const MessageRoute& route, PacketWriter& writer) const {
  writer.Add(route.kind).Add(module_.id_of(*route.instruction)).Add(route.channel);
  writer.Add(route.source).Add(route.target);
}

MessageRoute DeviceMesh::TakeRoute(PacketReader& reader) const {
  MessageRoute route;
  route.kind = reader.Take<MessageRoute::Kind>();
  route.instruction = &module_.instruction(reader.Take<InstructionId>());
  route.channel = reader.Take<int64_t>();
  route.source = reader.Take<ParticipantId>();
  route.target = reader.Take<ParticipantId>();
  return route;
}

SharedPacket DeviceMesh::PackMessage(const MessageRoute& route, const Message& message) const {
  PacketWriter writer = NewPacket(phase_, PacketKind::kMessage);
  PackRoute(route, writer);
  const bool has_sender = message.sender != nullptr;
  writer.Add(has_sender ? module_.id_of(*message.sender) : InstructionId());
  writer.Add(message.arrays.size());
  for (const Message::Array& array : message.arrays) writer.AddArray(array.ref());
  return writer.Finish();
}

void DeviceMesh::TakeMessage(PacketReader& reader) {
  const MessageRoute route = TakeRoute(reader);
  Message message;
  const auto sender = reader.Take<InstructionId>();
  if (sender.valid()) message.sender = &module_.instruction(sender);
  message.arrays.resize(reader.Take<size_t>());
  for (Message::Array& array : message.arrays) {
    const ArrayRef taken = reader.TakeArray(array.dims);
    array.element_type = taken.element_type;
    array.bytes.assign(taken.bytes, taken.bytes + taken.byte_size());
  }
  Lock lock(mutex_);
  if (IsOver()) return;
  Queue& queue = QueueOf(route);
  const int64_t ticket = queue.sent_count++;
  queue.messages.emplace(ticket, std::move(message));
  WakeWaiter(route.target, queue, ticket, /*is_receiver=*/true);
}

SharedPacket DeviceMesh::PackAnnouncement(const MessageRoute& route) const {
  PacketWriter writer = NewPacket(phase_, PacketKind::kAnnouncement);
  PackRoute(route, writer);
  return writer.Finish();
}

void DeviceMesh::TakeAnnouncement(PacketReader& reader) {
  const MessageRoute route = TakeRoute(reader);
  Lock lock(mutex_);
  if (IsOver()) return;
  Queue& queue = QueueOf(route);
  WakeWaiter(route.source, queue, queue.announced_count++, /*is_receiver=*/false);
}

void DeviceMesh::PostJoin(const Site& site, std::span<const InstructionId> at) {
  if (processes_ == nullptr) return;
  PacketWriter writer = NewPacket(phase_, PacketKind::kJoin);
  writer.AddNumbers(site.members);
  for (InstructionId id : at) writer.Add(id);
  const SharedPacket packet = writer.Finish();
  for (int64_t rank : site.elsewhere) Post(rank, packet);
}

void DeviceMesh::TakeJoin(PacketReader& reader) {
  const std::vector<ParticipantId> ids = reader.TakeNumbers();
  std::vector<InstructionId> at(ids.size());
  for (InstructionId& id : at) id = reader.Take<InstructionId>();
  Lock lock(mutex_);
  if (!IsOver()) Join(ids, at);
}

// --- Reports -----------------------------------------------------------------------------------

void DeviceMesh::PostReport() {
  PacketWriter writer = NewPacket(phase_, PacketKind::kReport);
  writer.Add(running_count_ == 0).Add(progress_);
  for (const Peer& peer : peers_) writer.Add(peer.sent).Add(peer.received);
  for (const Member& member : LocalMembers()) {
    const bool meets = member.state == Member::State::kMeeting;
    const bool runs = member.state == Member::State::kRunning;
    writer.Add(member.state);
    writer.Add(runs ? runners_.where(&member - members_.data()) : member.at);
    writer.Add(member.is_receiver).Add(member.other);
    writer.Add(member.occurrence).Add(meets ? SignatureOf(member) : 0);
  }
  processes_->Post(0, writer.Finish());
}

void DeviceMesh::TakeReport(int64_t from, PacketReader& reader) {
  if (!processes_->is_first()) return;  // a sign of life
  Lock lock(mutex_);
  Peer& peer = peers_[static_cast<size_t>(from)];
  peer.is_idle = reader.Take<bool>();
  peer.progress = reader.Take<int64_t>();
  peer.sent_to.resize(peers_.size());
  peer.received_from.resize(peers_.size());
  for (size_t i = 0; i < peers_.size(); ++i) {
    peer.sent_to[i] = reader.Take<int64_t>();
    peer.received_from[i] = reader.Take<int64_t>();
  }
  const ParticipantRange block = BlockOf(from, processes_->size(), participant_count());
  for (ParticipantId id = block.first; id < block.end(); ++id) {
    Member& member = MemberOf(id);
    member.state = reader.Take<Member::State>();
    member.at = reader.Take<InstructionId>();
    member.is_receiver = reader.Take<bool>();
    member.other = reader.Take<ParticipantId>();
    member.occurrence = reader.Take<int64_t>();
    member.signature = reader.Take<uint64_t>();
  }
}

// Process 0's own counts are in its peers, the others' in their reports.
bool DeviceMesh::IsQuietEverywhere() const {
  if (running_count_ > 0) return false;
  const auto sent = [&](size_t from, size_t to) {
    return from == 0 ? peers_[to].sent : peers_[from].sent_to[to];
  };
  const auto received = [&](size_t to, size_t from) {
    return to == 0 ? peers_[from].received : peers_[to].received_from[from];
  };
  for (size_t i = 1; i < peers_.size(); ++i) {
    if (!peers_[i].is_idle) return false;
  }
  for (size_t from = 0; from < peers_.size(); ++from) {
    for (size_t to = 0; to < peers_.size(); ++to) {
      if (sent(from, to) != received(to, from)) return false;
    }
  }
  return true;
}

void DeviceMesh::TellOthers() {
  const auto now = Peer::Clock::now();
  Peer& own = peers_[static_cast<size_t>(processes_->rank())];
  if (progress_ != own.seen_progress) {
    own.seen_progress = progress_;
    own.seen_time = now;
  }
  const bool is_sign_due = now - own.told > kSignInterval;
  const bool is_at_rest = running_count_ == 0 && now - own.seen_time > kRest;
  if (processes_->is_first()) {
    if (is_at_rest && !IsOver() && IsQuietEverywhere()) NobodyRunsAnywhere();
    if (!is_sign_due) return;
    const SharedPacket sign = NewPacket(phase_, PacketKind::kReport).Finish();
    for (int64_t rank = 1; rank < processes_->size(); ++rank) processes_->Post(rank, sign);
  } else {
    const bool has_news = progress_ != own.reported_progress;
    const bool is_due = has_news && (is_at_rest || now - own.told > kReportInterval);
    if (!is_due && !is_sign_due) return;
    own.reported_progress = progress_;
    PostReport();
  }
  own.told = now;
}

// Process 0 hears of all, the others of process 0.
void DeviceMesh::CheckSignsOfLife() {
  const auto now = Peer::Clock::now();
  const size_t end = processes_->is_first() ? peers_.size() : 1;
  for (size_t i = processes_->is_first() ? 1 : 0; i < end; ++i) {
    if (peers_[i].has_ended || now - peers_[i].heard < kMaxSilence) continue;
    lost_process_ = static_cast<int64_t>(i);
    const absl::Status status = absl::UnavailableError(
        fmt::format("process {} was not heard of for {} s", i, kMaxSilence.count()));
    // What is said of the run is said where it ended first; this says why nobody waits for more.
    if (IsOver()) {
      failure_->status = status;
    } else {
      EndRun(MeshFailure({}, {}, status));
    }
    return;
  }
}

// --- Turns -------------------------------------------------------------------------------------

SharedPacket DeviceMesh::PackGo(const Gathering& gathering, const TeamJob& job) const {
  const Arrival& first = gathering.arrivals.front();
  PacketWriter writer = NewPacket(phase_, PacketKind::kGo);
  writer.Add(gathering.site->members.front()).Add(module_.id_of(*first.instruction));
  writer.Add(first.visit).Add(job.team).Add(job.kind).Add(job.reduction).Add(job.number);
  writer.Add(job.count).Add(job.root).AddNumbers(job.unit_counts);
  return writer.Finish();
}

void DeviceMesh::TakeGo(PacketReader& reader) {
  Go go;
  const auto first = reader.Take<ParticipantId>();
  go.site = PlaceOf(first, reader.Take<InstructionId>()).site;
  go.visit = reader.Take<int64_t>();
  go.job.team = reader.Take<int64_t>();
  go.job.kind = reader.Take<TeamJob::Kind>();
  go.job.reduction = reader.Take<TeamJob::Reduction>();
  go.job.number = reader.Take<TeamJob::Number>();
  go.job.count = reader.Take<int64_t>();
  go.job.root = reader.Take<int64_t>();
  go.job.unit_counts = reader.TakeNumbers();
  gos_[go.job.team].push_back(std::move(go));
}

// --- The end -----------------------------------------------------------------------------------

void DeviceMesh::PostFailure() {
  if (processes_ == nullptr) return;
  const MeshFailure& failure = *failure_;
  PacketWriter writer = NewPacket(phase_, PacketKind::kFailure);
  writer.Add(failure.participant.value_or(-1)).Add(failure.at);
  writer.Add(failure.status.code()).AddText(std::string(failure.status.message()));
  writer.Add(failure.notes.size());
  for (const MeshFailure::Note& note : failure.notes) writer.Add(note.at).AddText(note.text);
  writer.AddNumbers(failure.busy);
  const SharedPacket packet = writer.Finish();
  for (int64_t rank = 0; rank < processes_->size(); ++rank) {
    if (rank != processes_->rank()) processes_->Post(rank, packet);
  }
  scheduler_.Hurry();
}

void DeviceMesh::TakeFailure(PacketReader& reader) {
  MeshFailure failure;
  const auto participant = reader.Take<ParticipantId>();
  if (participant >= 0) failure.participant = participant;
  failure.at = reader.Take<InstructionId>();
  const auto code = reader.Take<absl::StatusCode>();
  failure.status = absl::Status(code, reader.TakeText());
  failure.notes.resize(reader.Take<size_t>());
  for (MeshFailure::Note& note : failure.notes) {
    note.at = reader.Take<InstructionId>();
    note.text = reader.TakeText();
  }
  failure.busy = reader.TakeNumbers();
  Lock lock(mutex_);
  if (!IsOver()) EndRun(std::move(failure), /*tells_others=*/false);
}

void DeviceMesh::EndLocal(std::vector<InstructionId> stops) {
  if (processes_ == nullptr) return;
  Lock lock(mutex_);
  PacketWriter writer = NewPacket(phase_, PacketKind::kEnd);
  for (InstructionId at : stops) writer.Add(at);
  const SharedPacket packet = writer.Finish();
  for (int64_t rank = 0; rank < processes_->size(); ++rank) {
    if (rank != processes_->rank()) processes_->Post(rank, packet);
  }
  std::ranges::copy(stops, stops_.begin() + local_.first);
  peers_[static_cast<size_t>(processes_->rank())].has_ended = true;
}

void DeviceMesh::TakeEnd(int64_t from, PacketReader& reader) {
  Lock lock(mutex_);
  const ParticipantRange block = BlockOf(from, processes_->size(), participant_count());
  for (ParticipantId id = block.first; id < block.end(); ++id) {
    stops_[static_cast<size_t>(id)] = reader.Take<InstructionId>();
  }
  peers_[static_cast<size_t>(from)].has_ended = true;
}

// What a team has begun is done by then too: the next run finds all of it at rest. That a process
// has ended is the last thing it says, so whose turn it was is known as well.
bool DeviceMesh::IsEverybodyBack() {
  Lock lock(mutex_);
  if (lost_process_ >= 0) return true;
  const bool is_at_rest = jobs_.empty() && std::ranges::all_of(gos_, [](const auto& gos) {
                            return gos.second.empty();
                          });
  return is_at_rest && std::ranges::all_of(peers_, &Peer::has_ended);
}

// --- Taking ------------------------------------------------------------------------------------

void DeviceMesh::Take(ProcessGroup::Incoming incoming) {
  PacketReader& reader = incoming.reader();
  const auto kind = reader.Take<PacketKind>();
  const int64_t from = incoming.from();
  switch (kind) {
    case PacketKind::kArrival:
      TakeArrival(incoming);
      break;
    case PacketKind::kMessage:
      TakeMessage(reader);
      break;
    case PacketKind::kAnnouncement:
      TakeAnnouncement(reader);
      break;
    case PacketKind::kJoin:
      TakeJoin(reader);
      break;
    case PacketKind::kReport:
      return TakeReport(from, reader);
    case PacketKind::kFailure:
      return TakeFailure(reader);
    case PacketKind::kGo:
      return TakeGo(reader);
    case PacketKind::kEnd:
      return TakeEnd(from, reader);
  }
  Lock lock(mutex_);
  ++peers_[static_cast<size_t>(from)].received;
  ++progress_;
}

bool DeviceMesh::Exchange() {
  bool has_come = false;
  while (std::optional<ProcessGroup::Incoming> incoming = processes_->Poll(phase_)) {
    has_come = true;
    peers_[static_cast<size_t>(incoming->from())].heard = Peer::Clock::now();
    Take(*std::move(incoming));
  }
  StartReady();
  for (auto& [team, gos] : gos_) StartFollowing(gos);
  CompleteJobs();
  Lock lock(mutex_);
  TellOthers();
  CheckSignsOfLife();
  return has_come || !jobs_.empty();
}

}  // namespace hlo
