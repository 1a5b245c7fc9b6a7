// Collectives with one participant (semantics.md 14): a group of one reduces, gathers and exchanges
// nothing, so most results are the operands. Groups of more belong to the mesh, which replaces
// these kernels.
#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/forward.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

int64_t MeshGroupSize(const ReplicaGroups& groups) {
  int64_t size = 1;
  for (const AxisRef& axis : groups.mesh_axes) {
    size *= axis.IsWhole() ? groups.mesh.axes[axis.axis].size : axis.size;
  }
  return size;
}

// The number of participants in the largest group that is written.
int64_t LargestGroupSize(const ReplicaGroups& groups) {
  switch (groups.form) {
    case ReplicaGroups::Form::kExplicit: {
      size_t largest = 0;
      for (const IntList& group : groups.groups) largest = std::max(largest, group.size());
      return static_cast<int64_t>(largest);
    }
    case ReplicaGroups::Form::kIota:
      return groups.tile_dims.size() < 2 ? 1 : groups.tile_dims[1];
    case ReplicaGroups::Form::kMesh:
      return MeshGroupSize(groups);
  }
  HLO_UNREACHABLE();
}

absl::Status CheckAlone(const Evaluation& e) {
  const int64_t size = LargestGroupSize(e.Get<Attr::kReplicaGroups>());
  if (size <= 1) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("its groups have {} participants, and one device is running", size));
}

void Zero(const MutableArrayRef& array) {
  std::memset(array.bytes, 0, static_cast<size_t>(array.byte_size()));
}

// Result leaf i is operand leaf first + i.
absl::Status ForwardFrom(Evaluation& e, size_t first) {
  for (size_t i = 0; i < e.results().size(); ++i) {
    HLO_RETURN_IF_ERROR(Forward(e, e.operand(first + i), i));
  }
  return absl::OkStatus();
}

absl::Status ForwardAlone(Evaluation& e) {
  HLO_RETURN_IF_ERROR(CheckAlone(e));
  return ForwardFrom(e, 0);
}

// (operands, results, contexts): the start form of a collective whose results are its operands.
absl::Status ForwardStart(Evaluation& e) {
  const size_t count = e.operands().size();
  for (size_t i = 0; i < e.results().size(); ++i) {
    if (i < 2 * count) {
      HLO_RETURN_IF_ERROR(Forward(e, e.operand(i % count), i));
    } else {
      Zero(e.result(i));
    }
  }
  return absl::OkStatus();
}

absl::Status StoreId(Evaluation& e, int64_t id) {
  View<uint32_t>(e.result()).data()[0] = static_cast<uint32_t>(id);
  return absl::OkStatus();
}

// --- Permutes ----------------------------------------------------------------------------------

bool SendsToItself(const Evaluation& e) {
  for (const IntList& pair : e.Get<Attr::kSourceTargetPairs>()) {
    if (pair.size() == 2 && pair[0] == 0 && pair[1] == 0) return true;
  }
  return false;
}

// The clamped position of a box in an array, its start given by the scalars e.operand(first...).
int64_t BoxStart(const Evaluation& e, size_t first, std::span<const int64_t> dims,
                 std::span<const int64_t> box) {
  Index start(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    start[d] = std::clamp<int64_t>(IntegerAt(e.operand(first + d), 0), 0,
                                   std::max<int64_t>(0, dims[d] - box[d]));
  }
  return LinearIndex(dims, AsSpan(start));
}

// A pair {0,0} of the slices form: which of the slices it sends, and where it puts it.
struct SelfSlice {
  size_t source;
  size_t target;
};

// The k-th pair with this source takes the k-th slice, the k-th with this target the k-th place.
std::vector<SelfSlice> SelfSlices(const IntListList& pairs) {
  std::vector<SelfSlice> slices;
  SelfSlice next = {0, 0};
  for (const IntList& pair : pairs) {
    if (pair.size() != 2) continue;
    if (pair[0] == 0 && pair[1] == 0) slices.push_back(next);
    next.source += pair[0] == 0;
    next.target += pair[1] == 0;
  }
  return slices;
}

// Operands (inputs, outputs, input starts, output starts), buffer by buffer and for each buffer
// slice by slice: result leaf `to` + b is output b with slices of input b written into it.
// `slice_sizes` has the same order as the starts.
absl::Status PermuteSlices(Evaluation& e, size_t to, size_t buffer_count) {
  const IntListList& sizes = e.Get<Attr::kPermuteSliceSizes>();
  const size_t slice_count = sizes.size() / std::max<size_t>(buffer_count, 1);
  size_t rank_sum = 0;
  for (size_t b = 0; b < buffer_count; ++b) rank_sum += e.operand(b).dims.size();
  const size_t start_count = slice_count * rank_sum;
  if (sizes.size() != buffer_count * slice_count ||
      e.operands().size() != 2 * buffer_count + 2 * start_count) {
    return absl::InvalidArgumentError(
        fmt::format("{} slice sizes do not fit {} arrays with {} dimensions and {} start indices",
                    sizes.size(), buffer_count, rank_sum, e.operands().size() - 2 * buffer_count));
  }
  size_t first_start = 2 * buffer_count;  // of this buffer's slices
  for (size_t b = 0; b < buffer_count; ++b) {
    const ArrayRef& input = e.operand(b);
    const ArrayRef& output = e.operand(buffer_count + b);
    const size_t rank = input.dims.size();
    if (input.element_type != output.element_type ||
        input.element_type != e.result(to + b).element_type) {
      return absl::UnimplementedError("slices are not moved between arrays of different types");
    }
    HLO_RETURN_IF_ERROR(Forward(e, output, to + b));
    const int64_t element_size = ElementByteSize(input.element_type);
    for (const auto& [source, target] : SelfSlices(e.Get<Attr::kSourceTargetPairs>())) {
      if (source >= slice_count || target >= slice_count || output.dims.size() != rank ||
          sizes[b * slice_count + source].size() != rank) {
        return absl::InvalidArgumentError("a pair has no slice of its own");
      }
      const std::span<const int64_t> box = sizes[b * slice_count + source];
      const int64_t from = BoxStart(e, first_start + source * rank, input.dims, box);
      const int64_t into = BoxStart(e, first_start + start_count + target * rank, output.dims, box);
      CopyStrided(element_size, box, input.bytes + from * element_size,
                  AsSpan(DenseStrides(input.dims)), e.result(to + b).bytes + into * element_size,
                  AsSpan(DenseStrides(output.dims)));
    }
    first_start += slice_count * rank;
  }
  return absl::OkStatus();
}

absl::Status ZeroResults(Evaluation& e, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) Zero(e.result(i));
  return absl::OkStatus();
}

}  // namespace

absl::Status EvalAllGather(Evaluation& e) { return ForwardAlone(e); }

absl::Status EvalAllGatherStart(Evaluation& e) {
  HLO_RETURN_IF_ERROR(CheckAlone(e));
  return ForwardStart(e);
}

// The operands are (operands, results).
absl::Status EvalAllGatherDone(Evaluation& e) { return ForwardFrom(e, e.results().size()); }

absl::Status EvalAllReduce(Evaluation& e) { return ForwardAlone(e); }
absl::Status EvalAllReduceStart(Evaluation& e) { return ForwardAlone(e); }
absl::Status EvalAllReduceDone(Evaluation& e) { return ForwardFrom(e, 0); }
absl::Status EvalAllToAll(Evaluation& e) { return ForwardAlone(e); }
absl::Status EvalReduceScatter(Evaluation& e) { return ForwardAlone(e); }

// Who is in no group gets zeros, but no groups mean one of everybody. With has_dynamic_root the
// last operand holds root positions, all of which can only be this device.
absl::Status EvalCollectiveBroadcast(Evaluation& e) {
  HLO_RETURN_IF_ERROR(CheckAlone(e));
  const ReplicaGroups groups = e.Get<Attr::kReplicaGroups>();
  const bool is_outside = groups.form == ReplicaGroups::Form::kExplicit && !groups.groups.empty() &&
                          std::none_of(groups.groups.begin(), groups.groups.end(),
                                       [](const IntList& group) { return Contains(group, 0); });
  return is_outside ? ZeroResults(e, 0, e.results().size()) : ForwardFrom(e, 0);
}

absl::Status EvalCollectivePermute(Evaluation& e) {
  if (e.op().Has(Attr::kPermuteSliceSizes)) return PermuteSlices(e, 0, e.results().size());
  return SendsToItself(e) ? ForwardFrom(e, 0) : ZeroResults(e, 0, e.results().size());
}

// (operands, results, contexts); with slices (inputs, results, contexts).
absl::Status EvalCollectivePermuteStart(Evaluation& e) {
  if (e.op().Has(Attr::kPermuteSliceSizes)) {
    const auto buffer_count = static_cast<size_t>(e.op().operand_shape(0).LeafCount());
    for (size_t b = 0; b < buffer_count; ++b) HLO_RETURN_IF_ERROR(Forward(e, e.operand(b), b));
    HLO_RETURN_IF_ERROR(PermuteSlices(e, buffer_count, buffer_count));
    return ZeroResults(e, 2 * buffer_count, e.results().size() - 2 * buffer_count);
  }
  HLO_RETURN_IF_ERROR(ForwardStart(e));
  return SendsToItself(e) ? absl::OkStatus()
                          : ZeroResults(e, e.operands().size(), e.operands().size());
}

absl::Status EvalCollectivePermuteDone(Evaluation& e) { return ForwardFrom(e, e.results().size()); }

absl::Status EvalPartitionId(Evaluation& e) { return StoreId(e, e.device().partition_id()); }
absl::Status EvalReplicaId(Evaluation& e) { return StoreId(e, e.device().replica_id()); }

// (input, output, input_offsets, send_sizes, output_offsets, recv_sizes): rows of the input are
// written into the output, update by update.
absl::Status EvalRaggedAllToAll(Evaluation& e) {
  HLO_RETURN_IF_ERROR(CheckAlone(e));
  const ArrayRef& input = e.operand(0);
  const ArrayRef& output = e.operand(1);
  if (input.dims.empty() || output.dims.empty() || input.element_type != output.element_type ||
      !std::ranges::equal(input.dims.subspan(1), output.dims.subspan(1))) {
    return absl::InvalidArgumentError("the rows of input and output are of different kinds");
  }
  for (size_t i = 3; i < 6; ++i) {
    if (e.operand(i).element_count() != e.operand(2).element_count()) {
      return absl::InvalidArgumentError("the operands say different numbers of updates");
    }
  }
  HLO_RETURN_IF_ERROR(Forward(e, output, 0));
  const int64_t output_rows = output.dims[0];
  const int64_t row_bytes = Product(input.dims.subspan(1)) * ElementByteSize(input.element_type);
  const auto in_range = [](int64_t start, int64_t count, int64_t rows) {
    return start >= 0 && count >= 0 && start <= rows && count <= rows - start;
  };
  for (int64_t update = 0; update < e.operand(2).element_count(); ++update) {
    const int64_t from = IntegerAt(e.operand(2), update);
    const int64_t count = IntegerAt(e.operand(3), update);
    const int64_t to = IntegerAt(e.operand(4), update);
    if (IntegerAt(e.operand(5), update) != count) {
      return absl::InvalidArgumentError(fmt::format("update {} sends {} rows and receives {}",
                                                    update, count,
                                                    IntegerAt(e.operand(5), update)));
    }
    if (!in_range(from, count, input.dims[0]) || !in_range(to, count, output_rows)) {
      return absl::OutOfRangeError(fmt::format("update {} moves {} rows from {} of {} to {} of {}",
                                               update, count, from, input.dims[0], to,
                                               output_rows));
    }
    std::memcpy(e.result().bytes + to * row_bytes, input.bytes + from * row_bytes,
                static_cast<size_t>(count * row_bytes));
  }
  return absl::OkStatus();
}

}  // namespace hlo::reference
