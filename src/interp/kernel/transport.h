// How the participants of a run reach each other. Kernels of collectives are written once over this
// interface; who is behind it, threads of one process or processes of a cluster, they do not see.
//
// There are two ways. At a meeting all members of a group come to one instruction, and each looks
// at the operands of all. A message goes from one participant to another, in the order of sending;
// nobody waits for its receiver.
#ifndef HLOKIT_INTERP_KERNEL_TRANSPORT_H_
#define HLOKIT_INTERP_KERNEL_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interp/kernel/evaluation.h"
#include "ir/participant_groups.h"

namespace hlo {

// What a member brings to a meeting.
struct MeetingMember {
  std::span<const ArrayRef> operands;
  std::span<const MutableArrayRef> results;  // empty: the member is in another process
  Evaluation* evaluation = nullptr;          // null: the same
};

// The members of a group at one instruction, by their positions in the group. Those of this process
// share what there is to do: number `share` of `share_count` is the one asked.
struct Meeting {
  std::span<const MeetingMember> members;
  size_t position = 0;
  size_t share = 0;
  size_t share_count = 1;

  const MeetingMember& me() const { return members[position]; }
};

// Does one member's part: makes its results, and may write to those of all members its share of
// them. Reads operands only. `e` is the member's own evaluation.
using MeetingWork = absl::Status (*)(Evaluation& e, const Meeting& meeting);

// Where a participant stands in the groups of an instruction.
struct GroupPlace {
  std::span<const ParticipantId> members;  // empty: it is in no group
  size_t position = 0;
};

// Which messages follow one another: those of one instruction or channel between two participants.
struct MessageRoute {
  enum class Kind : uint8_t { kPermute, kTransfer };
  Kind kind = Kind::kPermute;
  const Instruction* instruction = nullptr;
  int64_t channel = -1;  // instructions of one kind share it; below 0: the instruction's own
  ParticipantId source = 0;
  ParticipantId target = 0;
};

// A send or recv that was begun and not ended.
struct PendingTransfer {
  MessageRoute route;
  int64_t ticket = 0;
};

// Arrays on their way.
struct Message {
  struct Array {
    ElementType element_type = ElementType::kF32;
    std::vector<int64_t> dims;
    std::vector<std::byte> bytes;

    ArrayRef ref() const { return {element_type, dims, bytes.data()}; }
  };
  std::vector<Array> arrays;
  const Instruction* sender = nullptr;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual const DeviceCounts& counts() const = 0;

  // The group of participant `me` in `op`. Fails when the groups make no sense.
  virtual absl::StatusOr<GroupPlace> FindGroup(const OpView& op, ParticipantId me) = 0;
  // The pairs of a collective-permute.
  virtual absl::StatusOr<std::span<const ParticipantPair>> FindPairs(const OpView& op) = 0;

  // Waits until all members of `place` have come to the instruction of `e`, has `work` done, and
  // returns when nobody needs `e`'s operands any more. `results` are those of e's results that
  // `work` makes. Fails when somebody can never come, or somebody failed.
  virtual absl::Status Meet(Evaluation& e, ParticipantId me, const GroupPlace& place,
                            std::span<const MutableArrayRef> results, MeetingWork work) = 0;

  // Sends without waiting; the ticket tells the message from others of the route.
  virtual absl::StatusOr<int64_t> Send(Evaluation& e, const MessageRoute& route,
                                       Message message) = 0;
  // Announces that the route's target takes the next message that is not announced yet, and gives
  // that message's ticket.
  virtual absl::StatusOr<int64_t> Announce(Evaluation& e, const MessageRoute& route) = 0;
  // Waits for the message.
  virtual absl::StatusOr<Message> Receive(Evaluation& e, const MessageRoute& route,
                                          int64_t ticket) = 0;
  // Waits until the target has announced that it takes the message.
  virtual absl::Status AwaitReceiver(Evaluation& e, const MessageRoute& route, int64_t ticket) = 0;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_TRANSPORT_H_
