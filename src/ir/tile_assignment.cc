// Devices stand in an array in row-major order: of the tiles in the listed form, of the mesh's axes
// in the named one. The digits of a device's place are the index of its tile, a part of an axis
// being a digit within a digit. Orders of devices are written out as one replica group, whose
// checks come along.
#include "ir/tile_assignment.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/participant_groups.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

// The devices of an array of `count` of them, in its row-major order.
absl::StatusOr<std::vector<int64_t>> Devices(DeviceOrder order, const IntList& list,
                                             const IotaDevices& iota, int64_t count) {
  std::vector<int64_t> devices(list.begin(), list.end());
  if (order != DeviceOrder::kList) {
    const std::vector<int64_t> dims = {count};
    const std::vector<int64_t> tiles = {1, count};
    ReplicaGroups groups;
    groups.form = ReplicaGroups::Form::kIota;
    groups.tile_dims = tiles;
    groups.iota = iota;
    if (order == DeviceOrder::kNone) groups.iota.dims = dims;
    if (order == DeviceOrder::kNone) groups.iota.permutation = {};
    HLO_ASSIGN_OR_RETURN(IdGroups listed, ListedGroups(groups));
    if (!listed.empty()) devices = std::move(listed[0]);
  }
  if (static_cast<int64_t>(devices.size()) == count) return devices;
  return absl::InvalidArgumentError(
      fmt::format("a sharding over {} devices lists {}", count, devices.size()));
}

std::vector<int64_t> IndexOf(int64_t linear, std::span<const int64_t> dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = linear % dims[d];
    linear /= dims[d];
  }
  return index;
}

TileAssignment WholeArrays(int64_t rank, int64_t device_count) {
  const std::vector<int64_t> first(static_cast<size_t>(rank), 0);
  return {std::vector<int64_t>(static_cast<size_t>(rank), 1),
          std::vector<std::vector<int64_t>>(static_cast<size_t>(device_count), first)};
}

absl::Status CheckCount(int64_t found, int64_t device_count) {
  if (found == device_count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("its sharding is for {} devices, and {} are running", found, device_count));
}

absl::StatusOr<TileAssignment> ListedTiles(const ShardingLeaf& leaf, int64_t rank,
                                           int64_t device_count) {
  const std::span<const int64_t> dims = leaf.tile_dims;
  if (static_cast<int64_t>(dims.size()) < rank) {
    return absl::InvalidArgumentError(
        fmt::format("its sharding cuts {} dimensions of {}", dims.size(), rank));
  }
  HLO_RETURN_IF_ERROR(CheckCount(CheckedProduct(dims).value_or(-1), device_count));
  HLO_ASSIGN_OR_RETURN(const std::vector<int64_t> devices,
                       Devices(leaf.order, leaf.device_list, leaf.device_iota, device_count));
  TileAssignment result = WholeArrays(rank, device_count);
  const std::span<const int64_t> own = dims.first(static_cast<size_t>(rank));
  result.counts.assign(own.begin(), own.end());
  for (int64_t i = 0; i < device_count; ++i) {
    const int64_t device = devices[static_cast<size_t>(i)];
    if (device < 0 || device >= device_count) return CheckCount(device + 1, device_count);
    std::vector<int64_t> index = IndexOf(i, dims);
    index.resize(static_cast<size_t>(rank));
    result.tiles[static_cast<size_t>(device)] = std::move(index);
  }
  return result;
}

// The part of an axis that a reference takes: of a place c on an axis of n, the digit of `size`
// behind the major part `pre_size`.
absl::StatusOr<TileAssignment> NamedTiles(const ShardingLeaf& leaf, int64_t rank,
                                          int64_t device_count) {
  if (leaf.mesh.is_maximal || leaf.whole != ShardingLeaf::Whole::kNone) {
    return WholeArrays(rank, device_count);
  }
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : leaf.mesh.axes) sizes.push_back(axis.size);
  HLO_RETURN_IF_ERROR(CheckCount(CheckedProduct(sizes).value_or(-1), device_count));
  HLO_ASSIGN_OR_RETURN(
      const std::vector<int64_t> devices,
      Devices(leaf.mesh.order, leaf.mesh.device_list, leaf.mesh.device_iota, device_count));
  TileAssignment result = WholeArrays(rank, device_count);
  for (int64_t i = 0; i < device_count; ++i) {
    const int64_t device = devices[static_cast<size_t>(i)];
    if (device < 0 || device >= device_count) return CheckCount(device + 1, device_count);
    const std::vector<int64_t> place = IndexOf(i, sizes);
    for (size_t d = 0; d < std::min(leaf.dimensions.size(), static_cast<size_t>(rank)); ++d) {
      int64_t count = 1;
      int64_t tile = 0;
      for (const AxisRef& ref : leaf.dimensions[d].axes) {
        const auto axis = static_cast<size_t>(ref.axis);
        if (axis >= sizes.size()) {
          return absl::InvalidArgumentError("its sharding names an axis its mesh does not have");
        }
        const int64_t size = ref.IsWhole() ? sizes[axis] : ref.size;
        const int64_t before = ref.IsWhole() ? 1 : ref.pre_size;
        if (before < 1 || size < 1 || sizes[axis] % (before * size) != 0) {
          return absl::InvalidArgumentError("its sharding names a part of an axis that is none");
        }
        tile = tile * size + place[axis] / (sizes[axis] / (before * size)) % size;
        count *= size;
      }
      result.counts[d] = count;
      result.tiles[static_cast<size_t>(device)][d] = tile;
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<TileAssignment> AssignTiles(const ShardingLeaf& leaf, int64_t rank,
                                           int64_t device_count) {
  switch (leaf.kind) {
    case ShardingLeaf::Kind::kReplicated:
    case ShardingLeaf::Kind::kMaximal:
    case ShardingLeaf::Kind::kManual:
    case ShardingLeaf::Kind::kUnknown:
    case ShardingLeaf::Kind::kUnreduced:
      return WholeArrays(rank, device_count);
    case ShardingLeaf::Kind::kTiled:
      return ListedTiles(leaf, rank, device_count);
    case ShardingLeaf::Kind::kNamed:
      return NamedTiles(leaf, rank, device_count);
  }
  return WholeArrays(rank, device_count);
}

}  // namespace hlo
