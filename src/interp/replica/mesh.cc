// How a run begins and ends.
#include "interp/replica/mesh.h"

#include <algorithm>
#include <iterator>

#include "interp/replica/mesh_state.h"
#include "support/check.h"

namespace hlo {

DeviceMesh::DeviceMesh(const Module& module, const DeviceCounts& counts,
                       ParticipantScheduler& scheduler, ProcessGroup* processes, Runners runners)
    : module_(module),
      counts_(counts),
      scheduler_(scheduler),
      processes_(processes),
      local_(processes == nullptr ? ParticipantRange{0, participant_count()}
                                  : processes->LocalOf(participant_count())),
      runners_(std::move(runners)),
      tables_(module.instructions().size()),
      pairs_(module.instructions().size()),
      members_(static_cast<size_t>(participant_count())) {
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

DeviceMesh::Member& DeviceMesh::MemberOf(ParticipantId id) {
  return members_[static_cast<size_t>(id)];
}

std::span<DeviceMesh::Member> DeviceMesh::LocalMembers() {
  return std::span(members_).subspan(static_cast<size_t>(local_.first),
                                     static_cast<size_t>(local_.count));
}

void DeviceMesh::Begin() {
  Lock lock(mutex_);
  running_count_ = local_.count;
  queues_.clear();
  for (Member& member : members_) {
    member.state = Member::State::kRunning;
    member.gathering = nullptr;
  }
  for (auto& [key, site] : sites_) {
    site->open.clear();
    std::ranges::fill(site->visits, 0);
  }
  if (processes_ == nullptr) return;
  phase_ = processes_->BeginPhase();
  peers_.assign(static_cast<size_t>(processes_->size()), Peer());
  for (Peer& peer : peers_) peer.heard = Peer::Clock::now();
  stops_.assign(members_.size(), InstructionId());
  HLO_CHECK(jobs_.empty());
  moving_.clear();
  ready_.clear();
  awaiting_.clear();
  gos_.clear();
}

void DeviceMesh::Finish(ParticipantId me) {
  Lock lock(mutex_);
  ++progress_;
  MemberOf(me).state = Member::State::kFinished;
  if (--running_count_ == 0) NobodyRuns();
}

void DeviceMesh::Fail(ParticipantId me, InstructionId at, absl::Status status) {
  Lock lock(mutex_);
  ++progress_;
  MemberOf(me).state = Member::State::kFinished;
  --running_count_;
  if (!IsOver()) EndRun(MeshFailure(me, at, std::move(status)));
}

void DeviceMesh::Stop(absl::Status status) {
  Lock lock(mutex_);
  if (!IsOver()) EndRun(MeshFailure({}, {}, std::move(status)));
}

int64_t DeviceMesh::progress() {
  Lock lock(mutex_);
  int64_t sum = progress_;
  for (const Peer& peer : peers_) sum += peer.progress;
  return sum;
}

InstructionId DeviceMesh::RunningAt(ParticipantId id) {
  if (IsHere(id)) return runners_.where(id);
  Lock lock(mutex_);
  return MemberOf(id).at;
}

absl::Status DeviceMesh::Stopped() const {
  return absl::CancelledError("another participant has ended the run");
}

void DeviceMesh::Wake(Member& member) {
  member.signal.store(1, std::memory_order_release);
  scheduler_.Unpark(&member - LocalMembers().data());
}

void DeviceMesh::EndRun(MeshFailure failure, bool tells_others) {
  failure_ = std::move(failure);
  if (tells_others) PostFailure();
  runners_.stop();
  for (const std::shared_ptr<Gathering>& gathering : moving_) {
    SetPhase(*gathering, Gathering::kStopped);
  }
  for (Member& member : LocalMembers()) {
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

}  // namespace hlo
