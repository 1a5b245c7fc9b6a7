// What a mesh remembers. Private to its sources.
#ifndef HLOKIT_INTERP_REPLICA_MESH_STATE_H_
#define HLOKIT_INTERP_REPLICA_MESH_STATE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "interp/replica/mesh.h"

namespace hlo {

// Where a group meets: one instruction, or all that share a channel and an opcode.
struct DeviceMesh::Site {
  int64_t channel = -1;
  std::vector<ParticipantId> members;
  std::vector<size_t> local;       // the positions of this process's members
  std::vector<int64_t> scheduled;  // and their numbers in its scheduler
  std::vector<int64_t> elsewhere;  // the other processes that have members
  std::vector<int64_t> ranks;      // all processes of the team, in ascending order
  int64_t team = -1;               // that moves large operands; below 0: none
  std::vector<int64_t> visits;     // by position: how often it came, as far as is known here
  // That some have come to and not all, first the earliest. Members in other processes may be one
  // meeting ahead of what is known here.
  std::deque<std::shared_ptr<Gathering>> open;
};

struct DeviceMesh::Place {
  Site* site = nullptr;  // null: in no group
  size_t position = 0;
};

// The groups of an instruction.
struct DeviceMesh::Table {
  std::vector<Place> places;  // by participant
};

// How a member's operands come to other processes.
struct DeviceMesh::Carriage {
  enum class Kind : uint8_t {
    kPacket,     // with the news that it has come; the others when all have come, by a team
    kGather,     // those of all to all
    kBroadcast,  // those of the first member alone
    kReduce,     // not at all: each process folds for its own members, and the team goes on
  };
  Kind kind = Kind::kPacket;
  TeamJob::Reduction reduction = TeamJob::Reduction::kSum;  // kReduce
  TeamJob::Number number = TeamJob::Number::kU8;

  bool operator==(const Carriage&) const = default;
};

// What the operands of a member in another process refer to.
struct DeviceMesh::RemoteOperands {
  std::shared_ptr<const void> storage;
  std::vector<std::vector<int64_t>> dims;
  std::vector<ArrayRef> arrays;  // without bytes until they have been moved
};

// A member that has come to a meeting.
struct DeviceMesh::Arrival {
  const Instruction* instruction = nullptr;
  MeetingMember member;
  Carriage carriage;
  std::shared_ptr<RemoteOperands> remote;  // of members in other processes
  int64_t visit = 0;                       // how often it has come there
};

// One meeting. Members that wait look at `phase` alone; the rest changes under the mesh's lock as
// long as it is gathering, and not at all afterwards.
struct DeviceMesh::Gathering {
  enum Phase : uint32_t { kGathering, kWorking, kMoving, kDone, kStopped, kJoined };

  explicit Gathering(Site& site)
      : site(&site), members(site.members.size()), arrivals(site.members.size()) {}

  void Add(size_t position, Arrival arrival);
  // Nobody needs the operands of members elsewhere any more.
  void Forget();
  bool HasArrived(size_t position) const { return arrivals[position].instruction != nullptr; }
  bool IsComplete() const { return arrived == members.size(); }
  bool IsCarried() const { return carriage.kind != Carriage::Kind::kPacket; }

  Site* site;
  std::vector<MeetingMember> members;  // by position, as the arrivals
  std::vector<Arrival> arrivals;
  size_t arrived = 0;
  size_t first_position = 0;
  int64_t byte_size = 0;
  Carriage carriage;
  // kReduce: this process's members alone, whose fold their team goes on with.
  std::vector<MeetingMember> local_members;
  std::atomic<uint32_t> phase = kGathering;
  std::atomic<size_t> done = 0;
  std::shared_ptr<Gathering> joined;  // kJoined: where everybody goes on
};

// It is the turn of a meeting, says the first process of its team.
struct DeviceMesh::Go {
  const Site* site = nullptr;
  int64_t visit = 0;  // of the first member
  TeamJob job;        // as all of the team begin it
};

// Messages between two participants, numbered by their tickets. The process of the source counts
// what is sent, that of the target what is announced; each hears the other's.
struct DeviceMesh::Queue {
  int64_t sent_count = 0;
  int64_t announced_count = 0;
  std::map<int64_t, Message> messages;
};

struct DeviceMesh::Member {
  enum class State : uint8_t { kRunning, kMeeting, kMessage, kFinished };

  // What process 0 hears of it.
  State state = State::kRunning;
  bool is_receiver = false;  // kMessage
  InstructionId at;          // where it waits; or runs, of other processes
  int64_t occurrence = 0;    // kMeeting: how often it has come there
  uint64_t signature = 0;    // kMeeting: what kinds of operands it has; of other processes only
  ParticipantId other = 0;   // kMessage

  // The rest is there in its own process.
  std::shared_ptr<Gathering> gathering;  // kMeeting
  const Queue* queue = nullptr;          // kMessage
  int64_t ticket = 0;
  std::atomic<uint32_t> signal = 0;
};

// Another process, and what it has told.
struct DeviceMesh::Peer {
  using Clock = std::chrono::steady_clock;

  // Packets that can make somebody run.
  int64_t sent = 0;
  int64_t received = 0;
  Clock::time_point heard;  // when anything has come from it
  bool has_ended = false;   // all of its participants are back

  // Reports, in process 0.
  bool is_idle = false;
  int64_t progress = 0;
  std::vector<int64_t> sent_to;        // by rank
  std::vector<int64_t> received_from;  // by rank

  // Towards process 0, in the others.
  int64_t seen_progress = 0;
  int64_t reported_progress = -1;
  Clock::time_point seen_time;  // when progress changed last
  Clock::time_point told;       // when it was told anything last
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_MESH_STATE_H_
