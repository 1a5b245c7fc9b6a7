// collective-permute (semantics.md 14.3): every pair is a message from its source to its target.
// Sources send all they have to send before they wait, and nobody waits for targets. What goes on
// its way is copied into memory of its own, which the transport has until it is taken: a device
// that is its own target copies from array to array.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/meet.h"
#include "interp/reference/messages.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// The pairs that this device is in, in the order of the text, and for each how often its source and
// target were source and target before.
struct NumberedPair {
  ParticipantId source;
  ParticipantId target;
  size_t source_count;
  size_t target_count;
};

void AddPair(ParticipantId me, ParticipantId source, ParticipantId target,
             std::vector<NumberedPair>& pairs, size_t& sent, size_t& received) {
  if (source != me && target != me) return;
  pairs.push_back({source, target, sent, received});
  sent += source == me;
  received += target == me;
}

// Where the start indices of slices stand among the operands (inputs, outputs, input starts, output
// starts): buffer by buffer and for each buffer slice by slice. The slice sizes have that order
// too.
struct SliceOperands {
  size_t buffer_count = 0;
  size_t slice_count = 0;           // of each buffer
  size_t start_count = 0;           // of all inputs
  std::vector<size_t> first_start;  // by buffer: the operand that is its first input start
};

// What is known of an instruction before it runs.
struct PermuteState final : KernelState {
  ParticipantId me = 0;
  std::vector<NumberedPair> pairs;
  int64_t channel = -1;
  size_t count = 0;                     // arrays that are made
  size_t first_result = 0;              // the first one
  std::optional<SliceOperands> slices;  // nothing: whole arrays
};

absl::StatusOr<std::vector<NumberedPair>> OwnPairs(Evaluation& e) {
  std::vector<NumberedPair> pairs;
  size_t sent = 0;
  size_t received = 0;
  const DeviceContext& device = e.device();
  if (device.transport() == nullptr) {
    for (const IntList& pair : e.Get<Attr::kSourceTargetPairs>()) {
      if (pair.size() == 2) AddPair(0, pair[0], pair[1], pairs, sent, received);
    }
    return pairs;
  }
  HLO_ASSIGN_OR_RETURN(const std::span<const ParticipantPair> all,
                       device.transport()->FindPairs(e.op()));
  for (const auto& [source, target] : all) {
    AddPair(device.participant(), source, target, pairs, sent, received);
  }
  return pairs;
}

MessageRoute RouteOf(const Evaluation& e, const NumberedPair& pair) {
  return {.instruction = &e.instruction(),
          .channel = e.state<PermuteState>().channel,
          .source = pair.source,
          .target = pair.target};
}

// Whether the device sends something to another one, if there is another one.
bool IsSender(const Evaluation& e, const NumberedPair& pair) {
  const ParticipantId me = e.state<PermuteState>().me;
  return pair.source == me && pair.target != me;
}

// Sends what make_message() returns.
template <typename MakeMessageOf>
absl::Status SendTo(Evaluation& e, const NumberedPair& pair, const MakeMessageOf& make_message) {
  Transport* transport = e.device().transport();
  if (transport == nullptr) return absl::OkStatus();
  return transport->Send(e, RouteOf(e, pair), make_message()).status();
}

absl::StatusOr<Message> ReceiveFrom(Evaluation& e, const NumberedPair& pair) {
  Transport* transport = e.device().transport();
  if (transport == nullptr) {
    return absl::FailedPreconditionError(
        fmt::format("it receives from device {}, and one device is running", pair.source));
  }
  const MessageRoute route = RouteOf(e, pair);
  HLO_ASSIGN_OR_RETURN(const int64_t ticket, transport->Announce(e, route));
  return transport->Receive(e, route, ticket);
}

// --- Whole arrays ------------------------------------------------------------------------------

// Results first ... first + count - 1 are the operands of the source, zeros without one.
absl::Status PermuteArrays(Evaluation& e, size_t first, size_t count) {
  const std::vector<NumberedPair>& pairs = e.state<PermuteState>().pairs;
  const ParticipantId me = e.state<PermuteState>().me;
  for (const NumberedPair& pair : pairs) {
    if (!IsSender(e, pair)) continue;
    HLO_RETURN_IF_ERROR(SendTo(e, pair, [&] { return MakeMessage(e, e.operands().first(count)); }));
  }
  bool is_target = false;
  for (const NumberedPair& pair : pairs) {
    if (pair.target != me) continue;
    is_target = true;
    if (pair.source == me) {
      for (size_t i = 0; i < count; ++i) HLO_RETURN_IF_ERROR(SetResult(e, e.operand(i), first + i));
      continue;
    }
    HLO_ASSIGN_OR_RETURN(const Message message, ReceiveFrom(e, pair));
    HLO_RETURN_IF_ERROR(StoreMessage(e, message, first, count));
  }
  if (!is_target) ZeroResults(e, first, count);
  return absl::OkStatus();
}

// --- Slices ------------------------------------------------------------------------------------

absl::StatusOr<SliceOperands> FindSliceOperands(const Evaluation& e, size_t first_result,
                                                size_t buffer_count) {
  const size_t size_count = e.Get<Attr::kPermuteSliceSizes>().size();
  SliceOperands slices;
  slices.buffer_count = buffer_count;
  slices.slice_count = size_count / std::max<size_t>(buffer_count, 1);
  size_t rank_sum = 0;
  for (size_t b = 0; b < buffer_count; ++b) {
    slices.first_start.push_back(2 * buffer_count + slices.slice_count * rank_sum);
    rank_sum += e.operand(b).dims.size();
  }
  slices.start_count = slices.slice_count * rank_sum;
  if (size_count != buffer_count * slices.slice_count ||
      e.operands().size() != 2 * buffer_count + 2 * slices.start_count) {
    return absl::InvalidArgumentError(
        fmt::format("{} slice sizes do not fit {} arrays with {} dimensions and {} start indices",
                    size_count, buffer_count, rank_sum, e.operands().size() - 2 * buffer_count));
  }
  for (size_t b = 0; b < buffer_count; ++b) {
    if (e.operand(b).element_type != e.operand(buffer_count + b).element_type ||
        e.operand(b).element_type != e.result(first_result + b).element_type) {
      return absl::UnimplementedError("slices are not moved between arrays of different types");
    }
  }
  return slices;
}

class SlicePermute {
 public:
  SlicePermute(Evaluation& e, const SliceOperands& slices, size_t first_result)
      : e_(e),
        slices_(slices),
        sizes_(e.Get<Attr::kPermuteSliceSizes>()),
        first_result_(first_result),
        buffer_count_(slices.buffer_count) {}

  absl::Status Run() {
    for (size_t b = 0; b < buffer_count_; ++b) {
      HLO_RETURN_IF_ERROR(SetResult(e_, output(b), first_result_ + b));
    }
    const ParticipantId me = e_.state<PermuteState>().me;
    const std::vector<NumberedPair>& pairs = e_.state<PermuteState>().pairs;
    for (const NumberedPair& pair : pairs) {
      if (!IsSender(e_, pair)) continue;
      HLO_RETURN_IF_ERROR(CheckNumber(pair.source_count));
      HLO_RETURN_IF_ERROR(SendTo(e_, pair, [&] { return CutSlices(pair.source_count); }));
    }
    for (const NumberedPair& pair : pairs) {
      if (pair.target == me) HLO_RETURN_IF_ERROR(Take(pair));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Take(const NumberedPair& pair) {
    HLO_RETURN_IF_ERROR(CheckNumber(pair.target_count));
    if (pair.source != pair.target) {
      HLO_ASSIGN_OR_RETURN(const Message message, ReceiveFrom(e_, pair));
      return PasteSlices(pair.target_count, message);
    }
    HLO_RETURN_IF_ERROR(CheckNumber(pair.source_count));
    return CopySlices(pair.source_count, pair.target_count);
  }

  const ArrayRef& input(size_t b) const { return e_.operand(b); }
  const ArrayRef& output(size_t b) const { return e_.operand(buffer_count_ + b); }
  std::span<const int64_t> box(size_t b, size_t slice) const {
    return sizes_[b * slices_.slice_count + slice];
  }

  absl::Status CheckNumber(size_t slice) const {
    for (size_t b = 0; b < buffer_count_; ++b) {
      const size_t rank = input(b).dims.size();
      if (slice >= slices_.slice_count || output(b).dims.size() != rank ||
          box(b, slice).size() != rank) {
        return absl::InvalidArgumentError("a pair has no slice of its own");
      }
    }
    return absl::OkStatus();
  }

  // The clamped position of a box in an array, its start given by the scalars operand(first...).
  int64_t BoxStart(size_t first, std::span<const int64_t> dims,
                   std::span<const int64_t> box) const {
    Index start(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
      start[d] = std::clamp<int64_t>(IntegerAt(e_.operand(first + d), 0), 0,
                                     std::max<int64_t>(0, dims[d] - box[d]));
    }
    return LinearIndex(dims, AsSpan(start));
  }

  // Where slice `slice` of buffer b begins in its input, and in its result.
  const std::byte* Source(size_t b, size_t slice) const {
    const ArrayRef& from = input(b);
    const size_t first = slices_.first_start[b] + slice * from.dims.size();
    return from.bytes +
           BoxStart(first, from.dims, box(b, slice)) * ElementByteSize(from.element_type);
  }
  std::byte* Target(size_t b, size_t slice) const {
    const MutableArrayRef& to = e_.result(first_result_ + b);
    const size_t first = slices_.first_start[b] + slices_.start_count + slice * to.dims.size();
    return to.bytes + BoxStart(first, to.dims, box(b, slice)) * ElementByteSize(to.element_type);
  }

  Message CutSlices(size_t slice) const {
    Message message;
    message.sender = &e_.instruction();
    for (size_t b = 0; b < buffer_count_; ++b) {
      const ArrayRef& from = input(b);
      const std::span<const int64_t> sizes = box(b, slice);
      const int64_t size = ElementByteSize(from.element_type);
      Message::Array& array = message.arrays.emplace_back();
      array.element_type = from.element_type;
      array.dims.assign(sizes.begin(), sizes.end());
      array.bytes.resize(static_cast<size_t>(Product(sizes) * size));
      CopyStrided(size, sizes, Source(b, slice), DenseStrides(from.dims), array.bytes.data(),
                  DenseStrides(sizes));
    }
    return message;
  }

  absl::Status CheckSizes(size_t b, size_t slice, std::span<const int64_t> sizes) const {
    if (std::ranges::equal(sizes, box(b, slice))) return absl::OkStatus();
    return absl::InvalidArgumentError(
        fmt::format("slice {} has the sizes {{{}}} where it comes from and {{{}}} here", slice,
                    fmt::join(sizes, ","), fmt::join(box(b, slice), ",")));
  }

  absl::Status CopySlices(size_t from, size_t to) {
    for (size_t b = 0; b < buffer_count_; ++b) {
      HLO_RETURN_IF_ERROR(CheckSizes(b, to, box(b, from)));
      CopyStrided(ElementByteSize(input(b).element_type), box(b, from), Source(b, from),
                  DenseStrides(input(b).dims), Target(b, to),
                  DenseStrides(e_.result(first_result_ + b).dims));
    }
    return absl::OkStatus();
  }

  // A slice has the size that its source gives it; a target that says another has no place for it.
  absl::Status PasteSlices(size_t slice, const Message& message) {
    if (message.arrays.size() != buffer_count_) {
      return absl::InvalidArgumentError("the slices that came are those of other arrays");
    }
    for (size_t b = 0; b < buffer_count_; ++b) {
      const MutableArrayRef& to = e_.result(first_result_ + b);
      const std::span<const int64_t> sizes = message.arrays[b].dims;
      HLO_RETURN_IF_ERROR(CheckSizes(b, slice, sizes));
      if (message.arrays[b].element_type != to.element_type) {
        return absl::InvalidArgumentError("the slices that came are of another type");
      }
      CopyStrided(ElementByteSize(to.element_type), sizes, message.arrays[b].bytes.data(),
                  DenseStrides(sizes), Target(b, slice), DenseStrides(to.dims));
    }
    return absl::OkStatus();
  }

  Evaluation& e_;
  const SliceOperands& slices_;
  const IntListList sizes_;
  const size_t first_result_;
  const size_t buffer_count_;
};

absl::StatusOr<std::unique_ptr<KernelState>> PreparePermute(Evaluation& e, size_t first_result,
                                                            size_t count) {
  auto state = std::make_unique<PermuteState>();
  if (e.op().Has(Attr::kPermuteSliceSizes)) {
    HLO_ASSIGN_OR_RETURN(state->slices, FindSliceOperands(e, first_result, count));
  }
  state->me = e.device().participant();
  HLO_ASSIGN_OR_RETURN(state->pairs, OwnPairs(e));
  if (e.op().Has(Attr::kChannelId)) state->channel = e.Get<Attr::kChannelId>();
  state->first_result = first_result;
  state->count = count;
  return state;
}

absl::Status Permute(Evaluation& e) {
  const auto& state = e.state<PermuteState>();
  if (state.slices) return SlicePermute(e, *state.slices, state.first_result).Run();
  return PermuteArrays(e, state.first_result, state.count);
}

}  // namespace

absl::StatusOr<std::unique_ptr<KernelState>> PrepareCollectivePermute(Evaluation& e) {
  return PreparePermute(e, 0, e.results().size());
}

absl::Status EvalCollectivePermute(Evaluation& e) { return Permute(e); }

// (operands, results, contexts); with slices (inputs, results, contexts).
absl::StatusOr<std::unique_ptr<KernelState>> PrepareCollectivePermuteStart(Evaluation& e) {
  const bool has_slices = e.op().Has(Attr::kPermuteSliceSizes);
  const size_t count =
      has_slices ? static_cast<size_t>(e.op().operand_shape(0).LeafCount()) : e.operands().size();
  return PreparePermute(e, count, count);
}

absl::Status EvalCollectivePermuteStart(Evaluation& e) {
  const size_t count = e.state<PermuteState>().count;
  for (size_t i = 0; i < count; ++i) HLO_RETURN_IF_ERROR(SetResult(e, e.operand(i), i));
  HLO_RETURN_IF_ERROR(Permute(e));
  ZeroResults(e, 2 * count, e.results().size() - 2 * count);
  return absl::OkStatus();
}

}  // namespace hlo::reference
