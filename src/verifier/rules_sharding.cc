// Shardings: how an array is spread over devices. Source: verifier.md 1.13.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/canonical_sharding.h"
#include "ir/leaves.h"
#include "support/checked_math.h"
#include "support/count_text.h"
#include "verifier/device_lists.h"
#include "verifier/rules.h"
#include "verifier/sharding_mesh.h"

namespace hlo {
namespace {

// One leaf of a sharding on one array, or on anything when `array` is null.
class LeafChecker {
 public:
  LeafChecker(const RuleContext& context, SourceRange range, const Shape* array)
      : context_(context),
        range_(range),
        array_(array),
        partition_count_(context.devices().partitions) {}

  // What text could not say.
  bool CheckForm(const ShardingLeaf& leaf) const {
    if (leaf.kind == ShardingLeaf::Kind::kTiled) {
      const std::optional<int64_t> count = TileCount(leaf);
      return count && CheckDeviceCount(leaf, *count);
    }
    return leaf.kind != ShardingLeaf::Kind::kNamed || CheckMeshForm(context_, range_, leaf);
  }

  void Check(const ShardingLeaf& leaf) const {
    if (!CheckForm(leaf)) return;
    switch (leaf.kind) {
      case ShardingLeaf::Kind::kMaximal:
        CheckDevice(leaf.maximal_device);
        break;
      case ShardingLeaf::Kind::kTiled:
        CheckTiled(leaf);
        break;
      case ShardingLeaf::Kind::kNamed:
        CheckMesh(context_, range_, leaf, partition_count_);
        break;
      case ShardingLeaf::Kind::kReplicated:
      case ShardingLeaf::Kind::kManual:
      case ShardingLeaf::Kind::kUnknown:
      case ShardingLeaf::Kind::kUnreduced:
        break;
    }
  }

 private:
  bool CheckDevice(int64_t device) const {
    bool is_too_large = partition_count_ > 1 && device >= partition_count_;
    if (device >= 0 && !is_too_large) return true;
    if (device < 0) {
      return context_.Report(Rule::kShardingDeviceRange, range_, "device {} is negative", device);
    }
    return context_.Report(Rule::kShardingDeviceRange, range_,
                           "device {} is not one of the {} partitions, 0 ... {}", device,
                           partition_count_, partition_count_ - 1);
  }

  void CheckTiled(const ShardingLeaf& leaf) const {
    const std::optional<int64_t> count = CheckedProduct(leaf.tile_dims);
    if (*count == 1) {
      context_.Report(Rule::kShardingSingleTile, range_, "a tile assignment of one device");
      return;
    }
    if (leaf.order == DeviceOrder::kList && !CheckList(leaf.device_list)) return;
    if (partition_count_ > 1 && *count != partition_count_) {
      context_.Report(Rule::kShardingDeviceTotal, range_, "{} devices for {} partitions", *count,
                      partition_count_);
    }
    CheckRank(leaf);
  }

  // Nothing after a report.
  std::optional<int64_t> TileCount(const ShardingLeaf& leaf) const {
    const std::optional<int64_t> count = CheckedProduct(leaf.tile_dims);
    const bool are_positive = std::all_of(leaf.tile_dims.begin(), leaf.tile_dims.end(),
                                          [](int64_t size) { return size >= 1; });
    if (!count || !are_positive) {
      return context_.Report(Rule::kShardingTileDims, range_, "tile dimensions `[{}]`",
                             fmt::join(leaf.tile_dims, ","));
    }
    return count;
  }

  // A device for each tile.
  bool CheckDeviceCount(const ShardingLeaf& leaf, int64_t tile_count) const {
    switch (leaf.order) {
      case DeviceOrder::kNone:
        return context_.Report(Rule::kShardingTileDims, range_, "tiles without devices");
      case DeviceOrder::kIota:
        return CheckCounted(leaf.device_iota, tile_count);
      case DeviceOrder::kList:
        break;
    }
    const auto device_count = static_cast<int64_t>(leaf.device_list.size());
    if (device_count == tile_count) return true;
    return context_.Report(Rule::kShardingDeviceCount, range_, "{} for {} tiles",
                           CountText(device_count, "device"), tile_count);
  }

  bool CheckCounted(const IotaDevices& iota, int64_t tile_count) const {
    if (!CheckIota(context_, range_, iota, {Rule::kShardingIotaSize, Rule::kShardingIotaPerm})) {
      return false;
    }
    if (CheckedProduct(iota.dims) == tile_count) return true;
    return context_.Report(Rule::kShardingIotaSize, range_, "{} tiles over the devices `[{}]`",
                           tile_count, fmt::join(iota.dims, ","));
  }

  bool CheckList(const IntList& devices) const {
    absl::flat_hash_set<int64_t> seen;
    for (int64_t device : devices) {
      if (!CheckDevice(device)) return false;
      if (seen.insert(device).second) continue;
      return context_.Report(Rule::kShardingDeviceUnique, range_, "device {} is listed twice",
                             device);
    }
    return true;
  }

  void CheckRank(const ShardingLeaf& leaf) const {
    if (array_ == nullptr || !array_->IsArray()) return;
    int64_t extra =
        static_cast<int64_t>(leaf.last_tile_dims.size()) + (leaf.last_tile_dim_replicate ? 1 : 0);
    int64_t rank = static_cast<int64_t>(leaf.tile_dims.size()) - extra;
    if (rank == array_->rank()) return;
    context_.Report(Rule::kShardingTileRank, range_, "tiles of {} for `{}`, which has {}",
                    CountText(rank, "dimension"), ShapeText(*array_), array_->rank());
  }

  const RuleContext& context_;
  SourceRange range_;
  const Shape* array_;
  int64_t partition_count_;
};

void CheckForms(const RuleContext& context, SourceRange range, const Sharding& sharding) {
  for (const ShardingLeaf& leaf : sharding.leaves) {
    if (!LeafChecker(context, range, nullptr).CheckForm(leaf)) return;
  }
}

void CheckSharding(const RuleContext& context, SourceRange range, const Sharding& sharding,
                   const Shape& shape) {
  // Of an outfeed the sharding is that of its data: a token accepts any.
  if (shape.IsToken()) return CheckForms(context, range, sharding);
  const std::vector<const Shape*> leaves = LeavesOf(shape);
  if (sharding.is_tuple) {
    bool fits = shape.IsTuple() && (sharding.leaves.size() == leaves.size() ||
                                    (leaves.empty() && sharding.leaves.size() <= 1));
    if (!fits) {
      context.Report(Rule::kShardingTupleShape, range, "a tuple of {} for `{}`, which {}",
                     CountText(static_cast<int64_t>(sharding.leaves.size()), "sharding"),
                     ShapeText(shape),
                     shape.IsTuple() ? fmt::format("has {} leaves", leaves.size()) : "is no tuple");
      return;
    }
    if (leaves.empty()) return CheckForms(context, range, sharding);
    for (size_t i = 0; i < leaves.size(); ++i) {
      LeafChecker(context, range, leaves[i]).Check(sharding.leaves[i]);
    }
    return;
  }
  if (sharding.leaves.empty()) return;
  // A single sharding on a tuple is spread over its leaves.
  const Shape* array = shape.IsTuple() ? nullptr : &shape;
  LeafChecker(context, range, array).Check(sharding.leaves[0]);
}

// --- Shardings that must agree -------------------------------------------------------------------

// The sharding of an instruction, or null.
const Sharding* ShardingOf(const Instruction& instruction) {
  return instruction.attributes.GetIf<Attr::kSharding>();
}

// Reports `rule` when two instructions have shardings that differ.
void CheckSame(const RuleContext& context, Rule rule, const Instruction& instruction,
               const Instruction& other, std::string_view what) {
  const Sharding* a = ShardingOf(instruction);
  const Sharding* b = ShardingOf(other);
  if (a == nullptr || b == nullptr || SameSharding(*a, *b, *instruction.shape)) return;
  context.Report(rule, context.View(instruction).attribute_range(Attr::kSharding),
                 "`{}` is sharded differently from {} `{}`", instruction.name, what, other.name);
  context.Note(rule, context.View(other).attribute_range(Attr::kSharding), "the other sharding");
}

void CheckWhile(const RuleContext& context, const Instruction& loop) {
  const Module& module = context.module();
  std::vector<std::pair<const Instruction*, std::string_view>> places = {{&loop, "the loop"}};
  const Computation& body = module.computation(loop.Get<Attr::kBody>());
  const Computation& condition = module.computation(loop.Get<Attr::kCondition>());
  places.push_back({&module.root(body), "the body's root"});
  if (!body.parameters.empty() && body.parameters[0] != body.root) {
    places.push_back({&module.instruction(body.parameters[0]), "the body's parameter"});
  }
  if (!condition.parameters.empty()) {
    places.push_back({&module.instruction(condition.parameters[0]), "the condition's parameter"});
  }
  std::erase_if(places, [](const auto& place) { return ShardingOf(*place.first) == nullptr; });
  for (size_t i = 1; i < places.size(); ++i) {
    CheckSame(context, Rule::kShardingWhileConsistent, *places[i].first, *places[0].first,
              places[0].second);
  }
}

void CheckConditional(const RuleContext& context, const Instruction& conditional) {
  std::vector<const Instruction*> places = {&conditional};
  ForEachCall(conditional, [&](Attr, ComputationId id) {
    places.push_back(&context.module().root(context.module().computation(id)));
  });
  std::erase_if(places, [](const Instruction* place) { return ShardingOf(*place) == nullptr; });
  for (size_t i = 1; i < places.size(); ++i) {
    CheckSame(context, Rule::kShardingConditionalConsistent, *places[i], *places[0],
              places[0] == &conditional ? "the conditional" : "the branch root");
  }
}

}  // namespace

void VerifyShardings(const RuleContext& context) {
  for (const Instruction& instruction : context.module().instructions()) {
    if (const Sharding* sharding = ShardingOf(instruction)) {
      CheckSharding(context, context.View(instruction).attribute_range(Attr::kSharding), *sharding,
                    *instruction.shape);
    }
    if (instruction.opcode == Opcode::kWhile) CheckWhile(context, instruction);
    if (instruction.opcode == Opcode::kConditional) CheckConditional(context, instruction);
  }
}

}  // namespace hlo
