// collective-permute (semantics.md 14.3): every pair is a message from its source to its target.
// Sources send all they have to send before they wait, and nobody waits for targets.
#include <algorithm>
#include <cstring>
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
          .channel = e.op().Has(Attr::kChannelId) ? e.Get<Attr::kChannelId>() : -1,
          .source = pair.source,
          .target = pair.target};
}

absl::Status SendTo(Evaluation& e, const NumberedPair& pair, Message message) {
  const DeviceContext& device = e.device();
  if (device.transport() == nullptr) return absl::OkStatus();  // there is nobody else
  return device.transport()->Send(e, RouteOf(e, pair), std::move(message)).status();
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
  const ParticipantId me = e.device().participant();
  HLO_ASSIGN_OR_RETURN(const std::vector<NumberedPair> pairs, OwnPairs(e));
  for (const NumberedPair& pair : pairs) {
    if (pair.source != me || pair.target == me) continue;
    HLO_RETURN_IF_ERROR(SendTo(e, pair, MakeMessage(e, e.operands().first(count))));
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

// Operands (inputs, outputs, input starts, output starts), buffer by buffer and for each buffer
// slice by slice; the slice sizes have the same order as the starts.
class SlicePermute {
 public:
  SlicePermute(Evaluation& e, size_t first_result, size_t buffer_count)
      : e_(e),
        sizes_(e.Get<Attr::kPermuteSliceSizes>()),
        first_result_(first_result),
        buffer_count_(buffer_count),
        slice_count_(sizes_.size() / std::max<size_t>(buffer_count, 1)) {}

  absl::Status Run() {
    HLO_RETURN_IF_ERROR(CheckOperands());
    for (size_t b = 0; b < buffer_count_; ++b) {
      HLO_RETURN_IF_ERROR(SetResult(e_, output(b), first_result_ + b));
    }
    const ParticipantId me = e_.device().participant();
    HLO_ASSIGN_OR_RETURN(const std::vector<NumberedPair> pairs, OwnPairs(e_));
    for (const NumberedPair& pair : pairs) {
      if (pair.source != me || pair.target == me) continue;
      HLO_RETURN_IF_ERROR(CheckNumber(pair.source_count));
      HLO_RETURN_IF_ERROR(SendTo(e_, pair, CutSlices(pair.source_count)));
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
    return PasteSlices(pair.target_count, CutSlices(pair.source_count));
  }

  const ArrayRef& input(size_t b) const { return e_.operand(b); }
  const ArrayRef& output(size_t b) const { return e_.operand(buffer_count_ + b); }
  std::span<const int64_t> box(size_t b, size_t slice) const {
    return sizes_[b * slice_count_ + slice];
  }

  absl::Status CheckOperands() {
    size_t rank_sum = 0;
    for (size_t b = 0; b < buffer_count_; ++b) {
      first_starts_.push_back(2 * buffer_count_ + slice_count_ * rank_sum);
      rank_sum += input(b).dims.size();
    }
    start_count_ = slice_count_ * rank_sum;
    if (sizes_.size() != buffer_count_ * slice_count_ ||
        e_.operands().size() != 2 * buffer_count_ + 2 * start_count_) {
      return absl::InvalidArgumentError(fmt::format(
          "{} slice sizes do not fit {} arrays with {} dimensions and {} start indices",
          sizes_.size(), buffer_count_, rank_sum, e_.operands().size() - 2 * buffer_count_));
    }
    for (size_t b = 0; b < buffer_count_; ++b) {
      if (input(b).element_type != output(b).element_type ||
          input(b).element_type != e_.result(first_result_ + b).element_type) {
        return absl::UnimplementedError("slices are not moved between arrays of different types");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckNumber(size_t slice) const {
    for (size_t b = 0; b < buffer_count_; ++b) {
      const size_t rank = input(b).dims.size();
      if (slice >= slice_count_ || output(b).dims.size() != rank || box(b, slice).size() != rank) {
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
      const size_t first = first_starts_[b] + slice * from.dims.size();
      CopyStrided(size, sizes, from.bytes + BoxStart(first, from.dims, sizes) * size,
                  DenseStrides(from.dims), array.bytes.data(), DenseStrides(sizes));
    }
    return message;
  }

  // A slice has the size that its source gives it; a target that says another has no place for it.
  absl::Status PasteSlices(size_t slice, const Message& message) {
    if (message.arrays.size() != buffer_count_) {
      return absl::InvalidArgumentError("the slices that came are those of other arrays");
    }
    for (size_t b = 0; b < buffer_count_; ++b) {
      const MutableArrayRef& to = e_.result(first_result_ + b);
      const std::span<const int64_t> sizes = message.arrays[b].dims;
      if (!std::ranges::equal(sizes, box(b, slice)) ||
          message.arrays[b].element_type != to.element_type) {
        return absl::InvalidArgumentError(
            fmt::format("slice {} has the sizes {{{}}} where it comes from and {{{}}} here", slice,
                        fmt::join(sizes, ","), fmt::join(box(b, slice), ",")));
      }
      const int64_t size = ElementByteSize(to.element_type);
      const size_t first = first_starts_[b] + start_count_ + slice * to.dims.size();
      CopyStrided(size, sizes, message.arrays[b].bytes.data(), DenseStrides(sizes),
                  to.bytes + BoxStart(first, to.dims, sizes) * size, DenseStrides(to.dims));
    }
    return absl::OkStatus();
  }

  Evaluation& e_;
  const IntListList sizes_;
  const size_t first_result_;
  const size_t buffer_count_;
  const size_t slice_count_;
  size_t start_count_ = 0;
  std::vector<size_t> first_starts_;  // by buffer: the operand that is its first input start
};

}  // namespace

absl::Status EvalCollectivePermute(Evaluation& e) {
  const size_t count = e.results().size();
  if (e.op().Has(Attr::kPermuteSliceSizes)) return SlicePermute(e, 0, count).Run();
  return PermuteArrays(e, 0, count);
}

// (operands, results, contexts); with slices (inputs, results, contexts).
absl::Status EvalCollectivePermuteStart(Evaluation& e) {
  const bool has_slices = e.op().Has(Attr::kPermuteSliceSizes);
  const size_t count =
      has_slices ? static_cast<size_t>(e.op().operand_shape(0).LeafCount()) : e.operands().size();
  for (size_t i = 0; i < count; ++i) HLO_RETURN_IF_ERROR(SetResult(e, e.operand(i), i));
  HLO_RETURN_IF_ERROR(has_slices ? SlicePermute(e, count, count).Run()
                                 : PermuteArrays(e, count, count));
  ZeroResults(e, 2 * count, e.results().size() - 2 * count);
  return absl::OkStatus();
}

}  // namespace hlo::reference
