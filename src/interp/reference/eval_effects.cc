// infeed and outfeed (semantics.md 14.5), send and recv (14.4): arrays that go to the queues of the
// device and come from there. Queues hold literals of their own, since what is in them outlives the
// run, and are looked up in each run, between which they may be cleared. Who is at the other end of
// a channel is found once.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/reference/messages.h"
#include "interp/reference/set_result.h"
#include "ir/leaves.h"
#include "ir/run_time_dims.h"
#include "ir/transfer_ends.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

absl::Status LoadLeaf(Evaluation& e, size_t i, const Literal& leaf) {
  if (leaf.shape().element_type() != e.result(i).element_type ||
      leaf.shape().rank() != static_cast<int64_t>(e.result(i).dims.size())) {
    return absl::InvalidArgumentError(
        fmt::format("the item in the queue holds `{}` where the shape is `{}`",
                    ShapeText(leaf.shape()), ShapeText(*e.instruction().shape)));
  }
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, i, RunTimeDims(leaf)));
  return SetResult(e, {leaf.shape().element_type(), RunTimeDims(leaf), leaf.bytes()}, i);
}

// Result leaves from 0 on are the leaves of `item`.
absl::Status LoadItem(Evaluation& e, const Literal& item) {
  const std::vector<const Literal*> leaves = LeavesOf(item);
  if (leaves.size() != e.results().size()) {
    return absl::InvalidArgumentError(
        fmt::format("the item in the queue holds {} arrays where the shape has {}", leaves.size(),
                    e.results().size()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) HLO_RETURN_IF_ERROR(LoadLeaf(e, i, *leaves[i]));
  return absl::OkStatus();
}

absl::StatusOr<Literal> StoreOperand(const Evaluation& e) {
  size_t next = 0;
  const auto store = [&](const Shape& shape) -> absl::StatusOr<Literal> {
    if (!shape.IsArray()) return Literal::Zeros(shape);  // tokens have no array
    const ArrayRef& array = e.operand(next++);
    HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Uninitialized(shape));
    std::memcpy(literal.bytes(), array.bytes, static_cast<size_t>(array.byte_size()));
    if (!std::ranges::equal(array.dims, shape.dims())) {
      literal.set_dynamic_sizes({array.dims.begin(), array.dims.end()});
    }
    return literal;
  };
  return LiteralOfLeaves(e.op().operand_shape(0), store);
}

void ZeroResults(Evaluation& e, size_t first) {
  for (size_t i = first; i < e.results().size(); ++i) {
    std::memset(e.result(i).bytes, 0, static_cast<size_t>(e.result(i).byte_size()));
  }
}

// --- Channels ----------------------------------------------------------------------------------

// The instruction that names the channel: the -done forms may leave that to what they end.
const Instruction& ChannelOwner(const Evaluation& e) {
  const Instruction& instruction = e.instruction();
  const bool is_done = instruction.opcode == Opcode::kRecvDone;
  return is_done && !instruction.Has(Attr::kChannelId) ? e.op().operand(0) : instruction;
}

// How a transfer without the host ends on a device that is alone: only the pair {0,0} is one it
// takes part in.
enum class PeerTransfer { kNone, kToItself, kUnknown };

// A recv-done may leave the pairs to its recv.
PeerTransfer FindPeerTransfer(const Evaluation& e) {
  std::string_view pairs = TransferPairsText(e.instruction());
  if (pairs.empty() && e.instruction().opcode == Opcode::kRecvDone) {
    pairs = TransferPairsText(e.op().operand(0));
  }
  if (pairs.empty()) return PeerTransfer::kUnknown;
  std::string compact;
  std::ranges::copy_if(pairs, std::back_inserter(compact), [](char c) { return c != ' '; });
  return compact.find("{0,0}") == std::string::npos ? PeerTransfer::kNone : PeerTransfer::kToItself;
}

absl::Status NeedsPeer() {
  return absl::FailedPreconditionError(
      "the other end of the channel is on another device, and one device is running");
}

absl::Status SendToHost(Evaluation& e, int64_t channel) {
  HLO_ASSIGN_OR_RETURN(Literal item, StoreOperand(e));
  e.device().to_host(channel).push_back(std::move(item));
  return absl::OkStatus();
}

// What a device sends to itself waits where items from the host do.
absl::Status SendToItself(Evaluation& e, int64_t channel) {
  HLO_ASSIGN_OR_RETURN(Literal item, StoreOperand(e));
  e.device().from_host(channel).push_back(std::move(item));
  return absl::OkStatus();
}

absl::Status Receive(Evaluation& e, int64_t channel) {
  std::deque<Literal>& queue = e.device().from_host(channel);
  if (queue.empty()) {
    return absl::FailedPreconditionError(fmt::format("nothing was sent on channel {}", channel));
  }
  const Literal item = std::move(queue.front());
  queue.pop_front();
  return LoadItem(e, item);
}

// --- Other participants ------------------------------------------------------------------------

// What is known of a send, recv or recv-done before it runs.
struct TransferState final : KernelState {
  int64_t channel = 0;
  bool is_host_transfer = false;
  PeerTransfer peer = PeerTransfer::kUnknown;  // of a device that is alone
  std::optional<ParticipantPair> pair;         // of one that is not; nothing: it is in none
};

// Between whom data goes on the channel.
absl::StatusOr<std::vector<ParticipantPair>> PairsOf(Evaluation& e, int64_t channel) {
  const DeviceCounts& counts = e.device().transport()->counts();
  const std::string_view text = TransferPairsText(e.instruction());
  if (!text.empty()) return TransferPairs(text, channel, counts);
  const std::optional<TransferEnds> ends = FindTransferEnds(e.module(), channel);
  if (!ends) {
    return absl::FailedPreconditionError(fmt::format(
        "nothing says who is at the other end of channel {}: neither "
        "`_xla_send_recv_source_target_pairs` nor `sharding={{maximal device=N}}` at its one send "
        "and its one recv",
        channel));
  }
  if (std::max(ends->source, ends->target) >= counts.partitions) {
    return absl::InvalidArgumentError(
        fmt::format("it is between partitions {} and {}, and {} are running", ends->source,
                    ends->target, counts.partitions));
  }
  std::vector<ParticipantPair> pairs;
  for (int64_t r = 0; r < counts.replicas; ++r) {
    const ParticipantId first = r * counts.partitions;
    pairs.push_back({first + ends->source, first + ends->target});
  }
  return pairs;
}

// The pair that this participant is the source (target) of; nothing: it is in none as that.
absl::StatusOr<std::optional<ParticipantPair>> OwnPair(Evaluation& e, int64_t channel,
                                                       bool as_source) {
  HLO_ASSIGN_OR_RETURN(const std::vector<ParticipantPair> pairs, PairsOf(e, channel));
  for (const ParticipantPair& pair : pairs) {
    if ((as_source ? pair.first : pair.second) == e.device().participant()) return pair;
  }
  return std::nullopt;
}

// send and recv.
absl::StatusOr<std::unique_ptr<KernelState>> PrepareTransfer(Evaluation& e, bool as_source) {
  auto state = std::make_unique<TransferState>();
  state->channel = e.Get<Attr::kChannelId>();
  state->is_host_transfer = e.Get<Attr::kIsHostTransfer>();
  if (state->is_host_transfer) return state;
  if (e.device().transport() == nullptr) {
    state->peer = FindPeerTransfer(e);
  } else {
    HLO_ASSIGN_OR_RETURN(state->pair, OwnPair(e, state->channel, as_source));
  }
  return state;
}

MessageRoute RouteOf(const Evaluation& e, const ParticipantPair& pair) {
  return {.kind = MessageRoute::Kind::kTransfer,
          .instruction = &e.instruction(),
          .channel = e.state<TransferState>().channel,
          .source = pair.first,
          .target = pair.second};
}

// The context among the results tells what ends the transfer which one it is.
absl::Status StoreTransfer(Evaluation& e, const PendingTransfer& transfer) {
  for (const MutableArrayRef& result : e.results().last(std::min<size_t>(1, e.results().size()))) {
    if (result.element_type != ElementType::kU32 || result.element_count() != 1) break;
    View<uint32_t>(result).data()[0] = e.device().AddTransfer(transfer);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("it has no context of type `u32[]`");
}

std::optional<PendingTransfer> TakeTransfer(Evaluation& e) {
  if (e.operands().empty()) return std::nullopt;
  const ArrayRef& context = e.operands().back();
  if (context.element_type != ElementType::kU32 || context.element_count() != 1)
    return std::nullopt;
  return e.device().TakeTransfer(View<uint32_t>(context).data()[0]);
}

// The array leaves of what `send` sends: all results but the context. Behind them there may be more
// where something else than a token is the second operand, which is a warning only.
std::span<const ArrayRef> SentData(const Evaluation& e) {
  const size_t count = e.results().empty() ? 0 : e.results().size() - 1;
  return e.operands().first(std::min(count, e.operands().size()));
}

absl::Status SendToParticipant(Evaluation& e) {
  const std::optional<ParticipantPair>& pair = e.state<TransferState>().pair;
  if (!pair) return absl::OkStatus();
  const MessageRoute route = RouteOf(e, *pair);
  HLO_ASSIGN_OR_RETURN(const int64_t ticket,
                       e.device().transport()->Send(e, route, MakeMessage(e, SentData(e))));
  return StoreTransfer(e, {route, ticket});
}

absl::Status AnnounceReceive(Evaluation& e) {
  const std::optional<ParticipantPair>& pair = e.state<TransferState>().pair;
  if (!pair) return absl::OkStatus();
  const MessageRoute route = RouteOf(e, *pair);
  HLO_ASSIGN_OR_RETURN(const int64_t ticket, e.device().transport()->Announce(e, route));
  return StoreTransfer(e, {route, ticket});
}

absl::Status ReceiveFromParticipant(Evaluation& e) {
  const std::optional<PendingTransfer> transfer = TakeTransfer(e);
  if (!transfer) {
    ZeroResults(e, 0);
    return absl::OkStatus();
  }
  HLO_ASSIGN_OR_RETURN(const Message message,
                       e.device().transport()->Receive(e, transfer->route, transfer->ticket));
  return StoreMessage(e, message, 0, e.results().size());
}

}  // namespace

absl::Status EvalInfeed(Evaluation& e) {
  if (e.results().empty()) return absl::OkStatus();
  std::deque<Literal>& queue = e.device().infeed();
  if (queue.empty()) return absl::FailedPreconditionError("the infeed queue is empty");
  const Literal item = std::move(queue.front());
  queue.pop_front();
  return LoadItem(e, item);
}

absl::Status EvalOutfeed(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(Literal item, StoreOperand(e));
  e.device().outfeed().push_back(std::move(item));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareSend(Evaluation& e) {
  return PrepareTransfer(e, /*as_source=*/true);
}

// (operand, context, token)
absl::Status EvalSend(Evaluation& e) {
  const size_t data_count = SentData(e).size();
  for (size_t i = 0; i < data_count; ++i) HLO_RETURN_IF_ERROR(SetResult(e, e.operand(i), i));
  ZeroResults(e, data_count);
  const auto& state = e.state<TransferState>();
  if (state.is_host_transfer) return SendToHost(e, state.channel);
  if (e.device().transport() != nullptr) return SendToParticipant(e);
  switch (state.peer) {
    case PeerTransfer::kNone:
      return absl::OkStatus();
    case PeerTransfer::kToItself:
      return SendToItself(e, state.channel);
    case PeerTransfer::kUnknown:
      return NeedsPeer();
  }
  HLO_UNREACHABLE();
}

absl::Status EvalSendDone(Evaluation& e) {
  if (e.device().transport() == nullptr) return absl::OkStatus();
  const std::optional<PendingTransfer> transfer = TakeTransfer(e);
  if (!transfer) return absl::OkStatus();
  return e.device().transport()->AwaitReceiver(e, transfer->route, transfer->ticket);
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareRecv(Evaluation& e) {
  return PrepareTransfer(e, /*as_source=*/false);
}

// (buffer, context, token): the data arrives in recv-done.
absl::Status EvalRecv(Evaluation& e) {
  ZeroResults(e, 0);
  const bool is_host_transfer = e.state<TransferState>().is_host_transfer;
  if (e.device().transport() == nullptr || is_host_transfer) return absl::OkStatus();
  return AnnounceReceive(e);
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareRecvDone(Evaluation& e) {
  const Instruction& owner = ChannelOwner(e);
  auto state = std::make_unique<TransferState>();
  state->channel = owner.Get<Attr::kChannelId>();
  state->is_host_transfer = owner.Get<Attr::kIsHostTransfer>() || e.Get<Attr::kIsHostTransfer>();
  state->peer = FindPeerTransfer(e);
  return state;
}

absl::Status EvalRecvDone(Evaluation& e) {
  const auto& state = e.state<TransferState>();
  if (state.is_host_transfer) return Receive(e, state.channel);
  if (e.device().transport() != nullptr) return ReceiveFromParticipant(e);
  switch (state.peer) {
    case PeerTransfer::kNone:
      ZeroResults(e, 0);
      return absl::OkStatus();
    case PeerTransfer::kToItself:
      return Receive(e, state.channel);
    case PeerTransfer::kUnknown:
      return NeedsPeer();
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::reference
