// What a mesh remembers. Private to its sources.
#ifndef HLOKIT_INTERP_REPLICA_MESH_STATE_H_
#define HLOKIT_INTERP_REPLICA_MESH_STATE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "interp/replica/mesh.h"

namespace hlo {

// Where a group meets: one instruction, or all that share a channel and an opcode.
struct DeviceMesh::Site {
  int64_t channel = -1;
  std::vector<ParticipantId> members;
  std::vector<int64_t> visits;      // by position: how often it came
  std::shared_ptr<Gathering> open;  // that some have come to and not all
};

// The groups of an instruction.
struct DeviceMesh::Table {
  struct Place {
    Site* site = nullptr;  // null: in no group
    size_t position = 0;
  };
  std::vector<Place> places;  // by participant
};

// One meeting. Members that wait look at `phase` alone; the rest changes under the mesh's lock as
// long as it is gathering, and not at all afterwards.
struct DeviceMesh::Gathering {
  enum Phase : uint32_t { kGathering, kWorking, kDone, kStopped, kJoined };

  explicit Gathering(Site& site) : site(&site), members(site.members.size()) {}

  void Arrive(size_t position, MeetingMember member);
  bool HasArrived(size_t position) const { return members[position].evaluation != nullptr; }

  Site* site;
  std::vector<MeetingMember> members;  // by position
  size_t arrived = 0;
  size_t first_position = 0;
  int64_t byte_size = 0;
  std::atomic<uint32_t> phase = kGathering;
  std::atomic<size_t> done = 0;
  std::shared_ptr<Gathering> joined;  // kJoined: where everybody goes on
};

// Messages between two participants, numbered by their tickets.
struct DeviceMesh::Queue {
  int64_t sent_count = 0;
  int64_t announced_count = 0;
  std::map<int64_t, Message> messages;
};

struct DeviceMesh::Member {
  enum class State : uint8_t { kRunning, kMeeting, kMessage, kFinished };

  State state = State::kRunning;
  InstructionId at;                      // where it waits
  std::shared_ptr<Gathering> gathering;  // kMeeting
  const Queue* queue = nullptr;          // kMessage, as the rest
  ParticipantId other = 0;
  int64_t ticket = 0;
  bool is_receiver = false;
  std::atomic<uint32_t> signal = 0;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_MESH_STATE_H_
