// The steps of grammar.md 5.9. Group dimensions are sorted by type and merged, and the devices
// follow their dimensions: an iota stays one where nothing has to move, else its devices are
// listed. An iota over more devices than are ever listed keeps its groups as they are. Unreduced
// values get a record of metadata, which comparisons leave out.
#include "ir/canonical_sharding.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace hlo {
namespace {

// Tile assignments are worked on as explicit device numbers.
int64_t Product(std::span<const int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

// Numbers of an array of `dims` read in the order of the transposed array.
std::vector<int64_t> TransposedOrder(std::span<const int64_t> dims,
                                     std::span<const int64_t> permutation) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  std::vector<int64_t> order(static_cast<size_t>(Product(dims)));
  std::vector<int64_t> index(dims.size(), 0);
  for (int64_t& number : order) {
    number = 0;
    for (size_t d = 0; d < dims.size(); ++d) number += index[d] * strides[permutation[d]];
    for (size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[permutation[d]]) break;
      index[d] = 0;
    }
  }
  return order;
}

std::vector<int64_t> IotaNumbers(const IotaDevices& iota) {
  std::vector<int64_t> permutation(iota.permutation.begin(), iota.permutation.end());
  if (permutation.empty()) {
    permutation.resize(iota.dims.size());
    std::iota(permutation.begin(), permutation.end(), int64_t{0});
  }
  return TransposedOrder(iota.dims, permutation);
}

template <typename T>
List<T> Copied(const std::vector<T>& items, Arena& arena) {
  return arena.CopyItems(std::span<const T>(items));
}

ShardingLeaf WholeLeaf(const ShardingLeaf& leaf, ShardingLeaf::Kind kind) {
  ShardingLeaf whole;
  whole.kind = kind;
  whole.group = leaf.group;
  whole.group_id = leaf.group_id;
  whole.metadata = leaf.metadata;
  return whole;
}

ShardingLeaf::Kind KindOf(SubgroupType type) {
  switch (type) {
    case SubgroupType::kMaximal:
      return ShardingLeaf::Kind::kMaximal;
    case SubgroupType::kManual:
      return ShardingLeaf::Kind::kManual;
    case SubgroupType::kUnreduced:
      return ShardingLeaf::Kind::kUnreduced;
    case SubgroupType::kReplicated:
      return ShardingLeaf::Kind::kReplicated;
  }
  return ShardingLeaf::Kind::kReplicated;
}

// The trailing group dimensions of a tiled leaf: sorted by type, one for each type, none of
// size 1; what is left of the tiles when nothing but one group remains is that group alone.
class SubgroupCanonicalizer {
 public:
  SubgroupCanonicalizer(const ShardingLeaf& leaf, Arena& arena)
      : leaf_(leaf), arena_(arena), dims_(leaf.tile_dims.begin(), leaf.tile_dims.end()) {
    types_.assign(leaf.last_tile_dims.begin(), leaf.last_tile_dims.end());
    if (leaf.last_tile_dim_replicate) types_.push_back(SubgroupType::kReplicated);
  }

  ShardingLeaf Run() {
    if (types_.size() > dims_.size()) return leaf_;
    std::vector<int64_t> groups = GroupDims();
    std::stable_sort(groups.begin(), groups.end(),
                     [&](int64_t a, int64_t b) { return TypeOf(a) < TypeOf(b); });
    std::vector<int64_t> data_dims(dims_.begin(), dims_.end() - types_.size());
    if (Product(data_dims) == 1 && !groups.empty() &&
        TypeOf(groups.front()) == TypeOf(groups.back())) {
      return WholeLeaf(leaf_, KindOf(TypeOf(groups.front())));
    }
    return Build(std::move(data_dims), groups);
  }

 private:
  SubgroupType TypeOf(int64_t dim) const {
    return types_[static_cast<size_t>(dim) - (dims_.size() - types_.size())];
  }

  std::vector<int64_t> GroupDims() const {
    std::vector<int64_t> groups;
    for (size_t d = dims_.size() - types_.size(); d < dims_.size(); ++d) {
      if (dims_[d] != 1) groups.push_back(static_cast<int64_t>(d));
    }
    return groups;
  }

  ShardingLeaf Build(std::vector<int64_t> tile_dims, const std::vector<int64_t>& groups) {
    if (leaf_.order == DeviceOrder::kIota && Product(dims_) > kMaxListedDevices) return AsItIs();
    std::vector<int64_t> permutation(tile_dims.size());
    std::iota(permutation.begin(), permutation.end(), int64_t{0});
    std::vector<SubgroupType> types;
    for (int64_t dim : groups) {
      permutation.push_back(dim);
      if (!types.empty() && types.back() == TypeOf(dim)) {
        tile_dims.back() *= dims_[dim];
      } else {
        tile_dims.push_back(dims_[dim]);
        types.push_back(TypeOf(dim));
      }
    }
    ShardingLeaf result = leaf_;
    result.tile_dims = Copied(tile_dims, arena_);
    result.last_tile_dim_replicate = types.size() == 1 && types[0] == SubgroupType::kReplicated;
    result.last_tile_dims = {};
    if (!types.empty() && !result.last_tile_dim_replicate) {
      result.last_tile_dims = Copied(types, arena_);
    }
    Reorder(permutation, &result);
    return result;
  }

  ShardingLeaf AsItIs() const {
    ShardingLeaf result = leaf_;
    result.device_iota = CanonicalIota(leaf_.device_iota, arena_);
    return result;
  }

  // Devices follow their dimensions; the members of a replication group are sorted.
  void Reorder(std::vector<int64_t> permutation, ShardingLeaf* result) {
    for (size_t d = 0; d < dims_.size(); ++d) {  // the dropped ones are of size 1
      if (std::find(permutation.begin(), permutation.end(), d) == permutation.end()) {
        permutation.push_back(static_cast<int64_t>(d));
      }
    }
    const bool moved = !std::is_sorted(permutation.begin(), permutation.end());
    if (leaf_.order == DeviceOrder::kIota && !moved && GroupsAscend(*result)) {
      result->device_iota = CanonicalIota(leaf_.device_iota, arena_);
      return;
    }
    std::vector<int64_t> devices =
        leaf_.order == DeviceOrder::kIota
            ? IotaNumbers(leaf_.device_iota)
            : std::vector<int64_t>(leaf_.device_list.begin(), leaf_.device_list.end());
    if (moved) {
      std::vector<int64_t> moved_devices;
      for (int64_t from : TransposedOrder(dims_, permutation))
        moved_devices.push_back(devices[from]);
      devices = std::move(moved_devices);
    }
    if (EndsReplicated(*result)) SortGroups(result->tile_dims.back(), &devices);
    result->order = DeviceOrder::kList;
    result->device_iota = {};
    result->device_list = Copied(devices, arena_);
  }

  static bool EndsReplicated(const ShardingLeaf& leaf) {
    return leaf.last_tile_dim_replicate ||
           (!leaf.last_tile_dims.empty() &&
            leaf.last_tile_dims.back() == SubgroupType::kReplicated);
  }

  bool GroupsAscend(const ShardingLeaf& result) const {
    if (!EndsReplicated(result)) return true;
    const std::vector<int64_t> devices = IotaNumbers(leaf_.device_iota);
    std::vector<int64_t> sorted = devices;
    SortGroups(result.tile_dims.back(), &sorted);
    return devices == sorted;
  }

  static void SortGroups(int64_t group_size, std::vector<int64_t>* devices) {
    for (auto begin = devices->begin(); begin != devices->end(); begin += group_size) {
      std::sort(begin, begin + group_size);
    }
  }

  // A few bytes of iota can stand for more devices than memory could list.
  static constexpr int64_t kMaxListedDevices = int64_t{1} << 20;
  const ShardingLeaf& leaf_;
  Arena& arena_;
  std::vector<int64_t> dims_;
  std::vector<SubgroupType> types_;
};

Mesh CanonicalMesh(const Mesh& mesh, Arena& arena) {
  Mesh result = mesh;
  if (mesh.order == DeviceOrder::kIota) result.device_iota = CanonicalIota(mesh.device_iota, arena);
  if (result.order == DeviceOrder::kIota && result.device_iota.permutation.empty()) {
    result.order = DeviceOrder::kNone;
    result.device_iota = {};
  }
  return result;
}

// A named leaf that is the same on all devices forgets its mesh.
ShardingLeaf CanonicalNamed(const ShardingLeaf& leaf, Arena& arena) {
  if (leaf.whole == ShardingLeaf::Whole::kReplicated) {
    return WholeLeaf(leaf, ShardingLeaf::Kind::kReplicated);
  }
  if (leaf.whole == ShardingLeaf::Whole::kUnreduced && leaf.reduction == ShardingReduction::kSum) {
    return WholeLeaf(leaf, ShardingLeaf::Kind::kUnreduced);
  }
  ShardingLeaf result = leaf;
  result.mesh = CanonicalMesh(leaf.mesh, arena);
  return result;
}

// XLA notes the reduction of unreduced values as a record of metadata.
void AddReductionRecord(ShardingLeaf* leaf, Arena& arena) {
  const auto& types = leaf->last_tile_dims;
  if (leaf->kind != ShardingLeaf::Kind::kUnreduced &&
      std::find(types.begin(), types.end(), SubgroupType::kUnreduced) == types.end()) {
    return;
  }
  std::vector<Metadata> records(leaf->metadata.begin(), leaf->metadata.end());
  Metadata& record = records.emplace_back();
  record.op_type = "sdy::reduction_op";
  record.op_name = "SUM";
  leaf->metadata = Copied(records, arena);
}

// Canonical leaves whose orders may still be written in two ways.
bool SameLeaf(ShardingLeaf a, ShardingLeaf b, Arena& arena) {
  a.metadata = {};
  b.metadata = {};
  if (a.order == DeviceOrder::kIota && b.order == DeviceOrder::kList) std::swap(a, b);
  const bool differs = a.order == DeviceOrder::kList && b.order == DeviceOrder::kIota;
  if (differs && a.tile_dims == b.tile_dims) {  // so that the iota counts what the list does
    b.order = DeviceOrder::kList;
    b.device_list = Copied(IotaNumbers(b.device_iota), arena);
    b.device_iota = {};
  }
  return a == b;
}

ShardingLeaf CanonicalLeaf(const ShardingLeaf& leaf, Arena& arena) {
  ShardingLeaf result = leaf;
  if (leaf.kind == ShardingLeaf::Kind::kTiled) result = SubgroupCanonicalizer(leaf, arena).Run();
  if (leaf.kind == ShardingLeaf::Kind::kNamed) result = CanonicalNamed(leaf, arena);
  AddReductionRecord(&result, arena);
  return result;
}

}  // namespace

IotaDevices CanonicalIota(const IotaDevices& iota, Arena& arena) {
  const size_t rank = iota.dims.size();
  std::vector<int64_t> order(iota.permutation.begin(), iota.permutation.end());
  if (order.empty()) {
    order.resize(rank);
    std::iota(order.begin(), order.end(), int64_t{0});
  }
  std::erase_if(order, [&](int64_t dim) { return iota.dims[dim] == 1; });
  // `order` in runs of dimensions that follow each other before and after the transposition;
  // dropped dimensions do not separate neighbours.
  std::vector<int64_t> kept = order;
  std::sort(kept.begin(), kept.end());
  auto position = [&](int64_t dim) {
    return std::lower_bound(kept.begin(), kept.end(), dim) - kept.begin();
  };
  struct Run {
    int64_t first;
    int64_t size;
  };
  std::vector<Run> runs;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && position(order[i]) == position(order[i - 1]) + 1) {
      runs.back().size *= iota.dims[order[i]];
    } else {
      runs.push_back({order[i], iota.dims[order[i]]});
    }
  }
  std::vector<int64_t> permutation(runs.size());
  std::vector<int64_t> dims(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    const int64_t rank_of_run = std::count_if(
        runs.begin(), runs.end(), [&](const Run& other) { return other.first < runs[i].first; });
    permutation[i] = rank_of_run;
    dims[rank_of_run] = runs[i].size;
  }
  if (runs.empty()) dims = {1};
  if (runs.size() <= 1) permutation.clear();
  return {Copied(dims, arena), Copied(permutation, arena)};
}

ReplicaGroups CanonicalReplicaGroups(const ReplicaGroups& groups, Arena& arena) {
  ReplicaGroups result = groups;
  if (groups.form == ReplicaGroups::Form::kIota) result.iota = CanonicalIota(groups.iota, arena);
  if (groups.form == ReplicaGroups::Form::kMesh) result.mesh = CanonicalMesh(groups.mesh, arena);
  return result;
}

Sharding CanonicalSharding(const Sharding& sharding, const Shape& shape, Arena& arena) {
  std::vector<ShardingLeaf> leaves;
  for (const ShardingLeaf& leaf : sharding.leaves) leaves.push_back(CanonicalLeaf(leaf, arena));
  Sharding result = sharding;
  if (!sharding.is_tuple && shape.IsTuple()) {
    result.is_tuple = true;
    leaves.resize(static_cast<size_t>(std::max<int64_t>(shape.LeafCount(), 1)), leaves.front());
  }
  result.leaves = Copied(leaves, arena);
  return result;
}

bool SameSharding(const Sharding& a, const Sharding& b, const Shape& shape) {
  if (a == b) return true;
  Arena arena;
  const Sharding first = CanonicalSharding(a, shape, arena);
  const Sharding second = CanonicalSharding(b, shape, arena);
  return std::equal(
      first.leaves.begin(), first.leaves.end(), second.leaves.begin(), second.leaves.end(),
      [&](const ShardingLeaf& x, const ShardingLeaf& y) { return SameLeaf(x, y, arena); });
}

}  // namespace hlo
