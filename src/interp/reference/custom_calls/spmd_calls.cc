// The borders of regions that are written for one partition each (JAX's shard_map), in programs
// that are not partitioned yet. Outside of such a region every partition holds the whole array;
// inside, its own tile of it.
//
//   a = f32[8] custom-call(x), custom_call_target="Sharding", sharding={devices=[2]<=[2]}
//   b = f32[4] custom-call(a), custom_call_target="SPMDFullToShardShape", sharding={manual}
//   ...
//   d = f32[8] custom-call(c), custom_call_target="SPMDShardToFullShape",
//   sharding={devices=[2]<=[2]}
//
// Where the number of tiles does not divide a size, the last tiles are filled up: with zeros going
// in, and what is there then goes nowhere coming out.
#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/prepared.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/meet.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "ir/tile_assignment.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// Where each partition's tile of sizes `tile` begins in an array of sizes `whole`, which
// `annotated`'s sharding cuts. Dimensions whose sizes are equal are not cut here: what is sharded
// but not by hand stays whole.
absl::StatusOr<std::vector<Index>> TileStarts(Evaluation& e, const Instruction& annotated,
                                              std::span<const int64_t> whole,
                                              std::span<const int64_t> tile) {
  const Sharding* sharding = annotated.attributes.GetIf<Attr::kSharding>();
  if (sharding == nullptr || sharding->leaves.size() != 1) {
    return absl::FailedPreconditionError(
        fmt::format("`{}` has no sharding that says who has which part", annotated.name));
  }
  HLO_ASSIGN_OR_RETURN(const TileAssignment assignment,
                       AssignTiles(sharding->leaves[0], static_cast<int64_t>(whole.size()),
                                   e.device().transport()->counts().partitions));
  std::vector<Index> starts;
  for (const std::vector<int64_t>& tiles : assignment.tiles) {
    Index& start = starts.emplace_back(whole.size());
    for (size_t d = 0; d < whole.size(); ++d) {
      if (whole[d] == tile[d]) continue;
      if (tile[d] != CeilDiv(whole[d], assignment.counts[d])) {
        return absl::InvalidArgumentError(
            fmt::format("dimension {} of size {} is cut into {} tiles, and tiles have {}", d,
                        whole[d], assignment.counts[d], tile[d]));
      }
      start[d] = tiles[d] * tile[d];
    }
  }
  return starts;
}

// The sizes of what a tile that begins at `start` has of the whole array.
Index SizesInside(std::span<const int64_t> whole, std::span<const int64_t> tile,
                  const Index& start) {
  Index sizes(tile.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    sizes[d] = std::clamp<int64_t>(whole[d] - start[d], 0, tile[d]);
  }
  return sizes;
}

absl::Status CheckRanks(const Evaluation& e) {
  if (e.operand(0).element_type == e.result().element_type &&
      e.operand(0).dims.size() == e.result().dims.size()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("its operand is of another kind than its result");
}

bool HasSizesOfOperand(const Evaluation& e) {
  return std::ranges::equal(e.operand(0).dims, e.result().dims);
}

absl::Status CheckBorder(Evaluation& e) {
  if (e.device().transport() == nullptr) {
    return absl::FailedPreconditionError(
        "operand and result have different shapes, and one device is running");
  }
  return CheckRanks(e);
}

// A tile on its way into a region.
struct WayIn {
  explicit WayIn(Evaluation& e) {
    if (HasSizesOfOperand(e)) return;
    status = CheckBorder(e);
    if (!status.ok()) return;
    auto starts = TileStarts(e, e.op().operand(0), e.operand(0).dims, e.result().dims);
    status = starts.status();
    if (starts.ok()) start = (*starts)[static_cast<size_t>(e.device().partition_id())];
  }

  absl::Status status;
  Index start;
};

// All tiles on their way out.
struct WayOut {
  explicit WayOut(Evaluation& e) {
    if (HasSizesOfOperand(e)) return;
    status = CheckBorder(e);
    if (!status.ok()) return;
    place = FindGroup(e);
    starts = TileStarts(e, e.instruction(), e.result().dims, e.operand(0).dims);
  }

  absl::Status status;
  absl::StatusOr<GroupPlace> place = GroupPlace();
  absl::StatusOr<std::vector<Index>> starts = std::vector<Index>();
};

absl::Status JoinTiles(Evaluation& e, const Meeting& meeting) {
  const MutableArrayRef& to = meeting.me().results[0];
  const absl::StatusOr<std::vector<Index>>& found = PreparedOf<WayOut>(e).starts;
  HLO_RETURN_IF_ERROR(found.status());
  const std::vector<Index>& starts = *found;
  const int64_t size = ElementByteSize(to.element_type);
  for (size_t m = 0; m < meeting.members.size(); ++m) {
    const ArrayRef& tile = meeting.members[m].operands[0];
    const Index sizes = SizesInside(to.dims, tile.dims, starts[m]);
    if (std::ranges::find(sizes, 0) != sizes.end()) continue;
    CopyStrided(size, AsSpan(sizes), tile.bytes, DenseStrides(tile.dims),
                to.bytes + LinearIndex(to.dims, AsSpan(starts[m])) * size, DenseStrides(to.dims));
  }
  return absl::OkStatus();
}

absl::Status FullToShardShape(Evaluation& e) {
  const WayIn& way = PreparedOf<WayIn>(e);
  HLO_RETURN_IF_ERROR(way.status);
  if (HasSizesOfOperand(e)) return SetResult(e, e.operand(0), 0);
  const ArrayRef& from = e.operand(0);
  const Index& start = way.start;
  const int64_t size = ElementByteSize(from.element_type);
  const MutableArrayRef& to = e.result();
  const Index sizes = SizesInside(from.dims, to.dims, start);
  if (!std::ranges::equal(sizes, to.dims)) {
    std::memset(to.bytes, 0, static_cast<size_t>(to.byte_size()));
  }
  if (std::ranges::find(sizes, 0) != sizes.end()) return absl::OkStatus();
  CopyStrided(size, AsSpan(sizes), from.bytes + LinearIndex(from.dims, AsSpan(start)) * size,
              DenseStrides(from.dims), to.bytes, DenseStrides(to.dims));
  return absl::OkStatus();
}

absl::Status ShardToFullShape(Evaluation& e) {
  const WayOut& way = PreparedOf<WayOut>(e);
  HLO_RETURN_IF_ERROR(way.status);
  if (HasSizesOfOperand(e)) return SetResult(e, e.operand(0), 0);
  HLO_RETURN_IF_ERROR(way.place.status());
  return Meet(e, *way.place, 0, e.results().size(), JoinTiles);
}

constexpr CustomCall kSpmdCalls[] = {
    {"SPMDFullToShardShape", {.run = FullToShardShape, .prepare = Prepare<WayIn>}},
    {"SPMDShardToFullShape", {.run = ShardToFullShape, .prepare = Prepare<WayOut>}},
};

}  // namespace

const Kernel* FindSpmdCall(std::string_view target) { return FindIn(kSpmdCalls, target); }

}  // namespace hlo::reference
