// Messages from one participant to another.
#include "interp/replica/mesh_state.h"
#include "support/status_macros.h"

namespace hlo {

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
  Member& member = MemberOf(id);
  if (member.state != Member::State::kMessage || member.queue != &queue ||
      member.ticket != ticket || member.is_receiver != is_receiver) {
    return;
  }
  member.state = Member::State::kRunning;
  ++running_count_;
  Wake(member);
}

absl::StatusOr<int64_t> DeviceMesh::Send(Evaluation&, const MessageRoute& route, Message message) {
  const bool is_here = IsHere(route.target);
  const SharedPacket packet = is_here ? nullptr : PackMessage(route, message);
  Lock lock(mutex_);
  if (IsOver()) return Stopped();
  Queue& queue = QueueOf(route);
  ++progress_;
  const int64_t ticket = queue.sent_count++;
  if (is_here) {
    queue.messages.emplace(ticket, std::move(message));
    WakeWaiter(route.target, queue, ticket, /*is_receiver=*/true);
  } else {
    Post(RankOf(route.target), packet);
  }
  return ticket;
}

absl::StatusOr<int64_t> DeviceMesh::Announce(Evaluation&, const MessageRoute& route) {
  Lock lock(mutex_);
  if (IsOver()) return Stopped();
  Queue& queue = QueueOf(route);
  ++progress_;
  const int64_t ticket = queue.announced_count++;
  if (IsHere(route.source)) {
    WakeWaiter(route.source, queue, ticket, /*is_receiver=*/false);
  } else {
    Post(RankOf(route.source), PackAnnouncement(route));
  }
  return ticket;
}

absl::Status DeviceMesh::AwaitMessage(Lock& lock, Evaluation& e, ParticipantId me,
                                      const MessageRoute& route, int64_t ticket, bool is_receiver) {
  Member& member = MemberOf(me);
  member.state = Member::State::kMessage;
  member.queue = &QueueOf(route);
  member.other = is_receiver ? route.source : route.target;
  member.ticket = ticket;
  member.is_receiver = is_receiver;
  member.at = module_.id_of(e.instruction());
  member.signal.store(0, std::memory_order_relaxed);
  ++progress_;
  if (--running_count_ == 0) NobodyRuns();
  lock.unlock();
  while (member.signal.load(std::memory_order_acquire) == 0) scheduler_.Park(me - local_.first);
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
