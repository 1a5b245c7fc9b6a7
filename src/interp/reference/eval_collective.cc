// Collectives that move elements (semantics.md 14.3): what a member of a group makes of the
// operands of all. A device that is alone is a group of one. Reductions are in
// eval_collective_reduce.cc, permutes in eval_collective_permute.cc.
#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/kernel/device.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/meet.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// Result leaf i is operand leaf first + i.
absl::Status ForwardFrom(Evaluation& e, size_t first) {
  for (size_t i = 0; i < e.results().size(); ++i) {
    HLO_RETURN_IF_ERROR(SetResult(e, e.operand(first + i), i));
  }
  return absl::OkStatus();
}

// --- all-gather --------------------------------------------------------------------------------

// A block of `count` indices of dimension d of one array, as a part of dimension d of another.
void CopyBlock(ScratchPool& pool, const ArrayRef& from, int64_t from_start,
               const MutableArrayRef& to, int64_t to_start, int64_t count, size_t d) {
  const ConvertedArray source(pool, from, to.element_type);
  const int64_t size = ElementByteSize(to.element_type);
  Index box(from.dims.size());
  std::ranges::copy(from.dims, box.begin());
  box[d] = count;
  const Strides from_strides = DenseStrides(from.dims);
  const Strides to_strides = DenseStrides(to.dims);
  CopyStrided(size, AsSpan(box), source.ref().bytes + from_start * from_strides[d] * size,
              from_strides, to.bytes + to_start * to_strides[d] * size, to_strides);
}

// Members have operands of the same sizes, which are converted one by one where results, those from
// number `first_result` on, are of other types.
double ConvertedOperands(const OpView& op, size_t first_result) {
  const std::vector<const Shape*> operands = OperandArrays(op);
  const std::vector<const Shape*> results = ResultArrays(op);
  double byte_size = 0;
  for (size_t i = 0; i < operands.size() && first_result + i < results.size(); ++i) {
    const ElementType type = results[first_result + i]->element_type();
    byte_size = std::max(byte_size, ConvertedByteSize(*operands[i], type));
  }
  return byte_size;
}

absl::Status EnsureSizes(Evaluation& e, size_t result, const ArrayRef& operand, size_t d,
                         int64_t size) {
  Index dims(operand.dims.size());
  std::ranges::copy(operand.dims, dims.begin());
  dims[d] = size;
  return EnsureResultDims(e, result, AsSpan(dims));
}

// Result i: the operands i of all members behind each other along the dimension.
absl::Status Gather(Evaluation& e, const Meeting& meeting) {
  const auto d = static_cast<size_t>(e.Get<Attr::kDimensions>()[0]);
  for (size_t i = 0; i < meeting.me().results.size(); ++i) {
    const ArrayRef& own = meeting.me().operands[i];
    const int64_t count = own.dims[d];
    HLO_RETURN_IF_ERROR(EnsureSizes(e, ResultNumber(e, meeting, i), own, d,
                                    count * static_cast<int64_t>(meeting.members.size())));
    for (size_t m = 0; m < meeting.members.size(); ++m) {
      CopyBlock(e.device().scratch(), meeting.members[m].operands[i], 0, meeting.me().results[i],
                static_cast<int64_t>(m) * count, count, d);
    }
  }
  return absl::OkStatus();
}

// --- all-to-all --------------------------------------------------------------------------------

// Block k of the result: what the member at position k has for this position.
absl::Status ExchangeBlocks(Evaluation& e, const Meeting& meeting) {
  const auto d = static_cast<size_t>(e.Get<Attr::kDimensions>()[0]);
  const auto count = static_cast<int64_t>(meeting.members.size());
  const ArrayRef& own = meeting.me().operands[0];
  if (own.dims[d] % count != 0) {
    return absl::InvalidArgumentError(fmt::format(
        "dimension {} of size {} does not divide into {} blocks", d, own.dims[d], count));
  }
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, own.dims));
  const int64_t block = own.dims[d] / count;
  for (int64_t m = 0; m < count; ++m) {
    CopyBlock(e.device().scratch(), meeting.members[static_cast<size_t>(m)].operands[0],
              static_cast<int64_t>(meeting.position) * block, meeting.me().results[0], m * block,
              block, d);
  }
  return absl::OkStatus();
}

// Result k: what the member at position k has as its operand of this position's number.
absl::Status ExchangeOperands(Evaluation& e, const Meeting& meeting) {
  const size_t count = meeting.members.size();
  if (e.operands().size() != count || e.results().size() != count) {
    return absl::InvalidArgumentError(
        fmt::format("{} operands in a group of {}", e.operands().size(), count));
  }
  for (size_t m = 0; m < count; ++m) {
    HLO_RETURN_IF_ERROR(SetResult(e, meeting.members[m].operands[meeting.position], m));
  }
  return absl::OkStatus();
}

// --- collective-broadcast ----------------------------------------------------------------------

// The last operand: for each result the position in the group that it comes from.
const ArrayRef& RootsOf(const MeetingMember& member) { return member.operands.back(); }

std::vector<int64_t> ElementsOf(const ArrayRef& roots) {
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < roots.element_count(); ++i) elements.push_back(IntegerAt(roots, i));
  return elements;
}

bool HaveEqualElements(const ArrayRef& a, const ArrayRef& b) {
  if (a.element_count() != b.element_count()) return false;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (IntegerAt(a, i) != IntegerAt(b, i)) return false;
  }
  return true;
}

absl::Status CheckRoots(Evaluation& e, const Meeting& meeting) {
  const ArrayRef& roots = RootsOf(meeting.me());
  if (!IsInteger(roots.element_type)) {
    return absl::InvalidArgumentError("the roots of a broadcast are integers");
  }
  if (roots.element_count() != static_cast<int64_t>(e.results().size())) {
    return absl::InvalidArgumentError(
        fmt::format("{} roots for {} arrays", roots.element_count(), e.results().size()));
  }
  for (size_t m = 0; m < meeting.members.size(); ++m) {
    const ArrayRef& others = RootsOf(meeting.members[m]);
    if (HaveEqualElements(others, roots)) continue;
    return absl::InvalidArgumentError(
        fmt::format("its root is {{{}}} at position {} of the group and {{{}}} at position {}",
                    fmt::join(ElementsOf(roots), ","), meeting.position,
                    fmt::join(ElementsOf(others), ","), m));
  }
  for (int64_t i = 0; i < roots.element_count(); ++i) {
    const int64_t root = IntegerAt(roots, i);
    if (root >= 0 && root < static_cast<int64_t>(meeting.members.size())) continue;
    return absl::OutOfRangeError(
        fmt::format("its root is {} in a group of {}", root, meeting.members.size()));
  }
  return absl::OkStatus();
}

absl::Status TakeFromRoots(Evaluation& e, const Meeting& meeting) {
  const bool has_roots = e.Get<Attr::kHasDynamicRoot>();
  if (has_roots) HLO_RETURN_IF_ERROR(CheckRoots(e, meeting));
  for (size_t i = 0; i < e.results().size(); ++i) {
    const int64_t root = has_roots ? IntegerAt(RootsOf(meeting.me()), static_cast<int64_t>(i)) : 0;
    HLO_RETURN_IF_ERROR(SetResult(e, meeting.members[static_cast<size_t>(root)].operands[i], i));
  }
  return absl::OkStatus();
}

// --- ragged-all-to-all -------------------------------------------------------------------------

// The operands of a member, by what they mean.
struct RaggedOperands {
  const ArrayRef& input;
  const ArrayRef& output;
  const ArrayRef& input_offsets;
  const ArrayRef& send_sizes;
  const ArrayRef& output_offsets;
  const ArrayRef& recv_sizes;

  explicit RaggedOperands(const MeetingMember& member)
      : input(member.operands[0]),
        output(member.operands[1]),
        input_offsets(member.operands[2]),
        send_sizes(member.operands[3]),
        output_offsets(member.operands[4]),
        recv_sizes(member.operands[5]) {}
};

absl::Status CheckRagged(Evaluation& e, const Meeting& meeting) {
  const RaggedOperands own(meeting.me());
  if (own.input.dims.empty() || own.output.dims.empty() ||
      own.input.element_type != own.output.element_type ||
      !std::ranges::equal(own.input.dims.subspan(1), own.output.dims.subspan(1))) {
    return absl::InvalidArgumentError("the rows of input and output are of different kinds");
  }
  const int64_t entries = own.input_offsets.element_count();
  for (size_t i = 2; i < 6; ++i) {
    if (!IsInteger(e.operand(i).element_type)) {  // ragged-all-to-all.index-integral is a warning
      return absl::InvalidArgumentError("offsets and sizes are integers");
    }
    if (e.operand(i).element_count() != entries) {
      return absl::InvalidArgumentError("the operands say different numbers of updates");
    }
  }
  if (entries % static_cast<int64_t>(meeting.members.size()) != 0) {
    return absl::InvalidArgumentError(
        fmt::format("{} offsets in a group of {}", entries, meeting.members.size()));
  }
  return absl::OkStatus();
}

// Update number `update` that `sender` has for the member asked, which has it as number `mirror`.
absl::Status MoveRows(const Meeting& meeting, const RaggedOperands& sender, int64_t update,
                      int64_t mirror) {
  const RaggedOperands own(meeting.me());
  const int64_t from = IntegerAt(sender.input_offsets, update);
  const int64_t count = IntegerAt(sender.send_sizes, update);
  const int64_t to = IntegerAt(sender.output_offsets, update);
  const int64_t expected = IntegerAt(own.recv_sizes, mirror);
  const int64_t rows = sender.input.dims[0];
  const int64_t output_rows = own.output.dims[0];
  const auto in_range = [](int64_t start, int64_t size, int64_t limit) {
    return start >= 0 && size >= 0 && start <= limit && size <= limit - start;
  };
  if (expected != count) {
    return absl::InvalidArgumentError(
        fmt::format("update {} sends {} rows and receives {}", update, count, expected));
  }
  if (!in_range(from, count, rows) || !in_range(to, count, output_rows)) {
    return absl::OutOfRangeError(fmt::format("update {} moves {} rows from {} of {} to {} of {}",
                                             update, count, from, rows, to, output_rows));
  }
  const int64_t row_bytes =
      Product(own.input.dims.subspan(1)) * ElementByteSize(own.input.element_type);
  std::memcpy(meeting.me().results[0].bytes + to * row_bytes, sender.input.bytes + from * row_bytes,
              static_cast<size_t>(count * row_bytes));
  return absl::OkStatus();
}

// Rows that nobody writes are those of the output operand; of those that several write the last
// sender's stay.
absl::Status ExchangeRows(Evaluation& e, const Meeting& meeting) {
  HLO_RETURN_IF_ERROR(CheckRagged(e, meeting));
  HLO_RETURN_IF_ERROR(SetResult(e, e.operand(1), 0));
  const auto count = static_cast<int64_t>(meeting.members.size());
  const int64_t updates = e.operand(2).element_count() / count;  // for each peer
  for (int64_t s = 0; s < count; ++s) {
    const RaggedOperands sender(meeting.members[static_cast<size_t>(s)]);
    for (int64_t i = 0; i < updates; ++i) {
      const int64_t update = static_cast<int64_t>(meeting.position) * updates + i;
      HLO_RETURN_IF_ERROR(MoveRows(meeting, sender, update, s * updates + i));
    }
  }
  return absl::OkStatus();
}

absl::Status StoreId(Evaluation& e, int64_t id) {
  View<uint32_t>(e.result()).data()[0] = static_cast<uint32_t>(id);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<KernelState>> PrepareAllGather(Evaluation& e) {
  return PrepareGroup(e);
}
absl::StatusOr<std::unique_ptr<KernelState>> PrepareAllGatherStart(Evaluation& e) {
  return PrepareGroup(e);
}
absl::StatusOr<std::unique_ptr<KernelState>> PrepareAllToAll(Evaluation& e) {
  return PrepareGroup(e);
}
absl::StatusOr<std::unique_ptr<KernelState>> PrepareCollectiveBroadcast(Evaluation& e) {
  return PrepareGroup(e);
}
absl::StatusOr<std::unique_ptr<KernelState>> PrepareRaggedAllToAll(Evaluation& e) {
  return PrepareGroup(e);
}

double AllGatherScratch(const OpView& op) { return ConvertedOperands(op, 0); }
double AllGatherStartScratch(const OpView& op) {
  return ConvertedOperands(op, OperandArrays(op).size());
}
double AllToAllScratch(const OpView& op) {
  return op.Has(Attr::kDimensions) ? ConvertedOperands(op, 0) : 0;
}

absl::Status EvalAllGather(Evaluation& e) { return Meet(e, Gather); }

// (operands, results, contexts)
absl::Status EvalAllGatherStart(Evaluation& e) {
  const size_t count = e.operands().size();
  HLO_RETURN_IF_ERROR(Meet(e, count, count, Gather));
  for (size_t i = 0; i < count; ++i) HLO_RETURN_IF_ERROR(SetResult(e, e.operand(i), i));
  ZeroResults(e, 2 * count, e.results().size() - 2 * count);
  return absl::OkStatus();
}

// The operands are (operands, results).
absl::Status EvalAllGatherDone(Evaluation& e) { return ForwardFrom(e, e.results().size()); }

absl::Status EvalAllReduceDone(Evaluation& e) { return ForwardFrom(e, 0); }

absl::Status EvalAllToAll(Evaluation& e) {
  return Meet(e, e.op().Has(Attr::kDimensions) ? ExchangeBlocks : ExchangeOperands);
}

// Who is in no group gets zeros without waiting.
absl::Status EvalCollectiveBroadcast(Evaluation& e) {
  if (!e.state<GroupState>().place.members.empty()) return Meet(e, TakeFromRoots);
  ZeroResults(e, 0, e.results().size());
  return absl::OkStatus();
}

absl::Status EvalCollectivePermuteDone(Evaluation& e) { return ForwardFrom(e, e.results().size()); }

absl::Status EvalPartitionId(Evaluation& e) { return StoreId(e, e.device().partition_id()); }
absl::Status EvalReplicaId(Evaluation& e) { return StoreId(e, e.device().replica_id()); }

absl::Status EvalRaggedAllToAll(Evaluation& e) { return Meet(e, ExchangeRows); }

}  // namespace hlo::reference
