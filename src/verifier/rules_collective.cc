// Replica groups and what depends on their size, source-target pairs, reducers, and what
// collectives of one module agree on. Source: verifier.md 3.10.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "inference/compatibility.h"
#include "inference/signature.h"
#include "ir/device_groups.h"
#include "support/checked_math.h"
#include "verifier/device_lists.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

// --- Replica groups ----------------------------------------------------------------------------

// Groups of different sizes are fine for all-reduce only.
bool MayBeUneven(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart;
}

// XLA does not look at the groups of collective-broadcast, so there they only deserve a warning.
template <typename... Args>
Failure ReportGroups(const RuleContext& context, const OpView& op, Rule rule,
                     fmt::format_string<Args...> format, Args&&... args) {
  const Severity severity =
      op.opcode() == Opcode::kCollectiveBroadcast ? Severity::kWarning : Severity::kError;
  return context.ReportAs(severity, rule, op.attribute_range(Attr::kReplicaGroups), format,
                          std::forward<Args>(args)...);
}

// Every id from 0 to the number of ids in one group, once.
bool CheckIds(const RuleContext& context, const OpView& op, IntListList groups, int64_t id_count) {
  std::vector<bool> seen(id_count, false);
  for (const IntList& group : groups) {
    for (int64_t id : group) {
      if (id < 0 || id >= id_count) {
        return ReportGroups(context, op, Rule::kCollectiveGroupIdRange,
                            "id {} is not in 0 ... {}, the {} ids that the groups have", id,
                            id_count - 1, id_count);
      }
      if (seen[id]) {
        return ReportGroups(context, op, Rule::kCollectiveGroupIdUnique,
                            "id {} is in the groups twice", id);
      }
      seen[id] = true;
    }
  }
  return true;
}

// The number of ids in groups written out; nothing after a report.
std::optional<int64_t> CheckExplicitGroups(const RuleContext& context, const OpView& op) {
  const IntListList groups = op.Get<Attr::kReplicaGroups>().groups;
  int64_t id_count = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].empty()) {
      return ReportGroups(context, op, Rule::kCollectiveGroupNonempty, "group {} is empty", i);
    }
    id_count += static_cast<int64_t>(groups[i].size());
  }
  if (!CheckIds(context, op, groups, id_count)) return std::nullopt;
  for (size_t i = 1; i < groups.size() && !MayBeUneven(op.opcode()); ++i) {
    if (groups[i].size() == groups[0].size()) continue;
    return ReportGroups(context, op, Rule::kCollectiveGroupUniform,
                        "group {} has {} ids, group 0 has {}", i, groups[i].size(),
                        groups[0].size());
  }
  return id_count;
}

// What stands in groups that are not written out: what XLA's reader refuses has no meaning.
bool CheckCountedGroups(const RuleContext& context, const OpView& op, const ReplicaGroups& groups) {
  const SourceRange range = op.attribute_range(Attr::kReplicaGroups);
  if (groups.form == ReplicaGroups::Form::kIota) {
    constexpr Rule kRule = Rule::kCollectiveIotaSize;
    if (groups.tile_dims.size() == 2 && groups.tile_dims[0] >= 1 && groups.tile_dims[1] >= 1) {
      return CheckIota(context, range, groups.iota, {kRule, kRule});
    }
    return context.Report(kRule, range, "the groups are `[{}]` instead of groups and group size",
                          fmt::join(groups.tile_dims, ","));
  }
  if (!CheckMeshDevices(context, range, groups.mesh)) return false;
  for (size_t i = 0; i < groups.mesh_axes.size(); ++i) {
    if (!CheckAxisRef(context, range, groups.mesh, groups.mesh_axes[i])) return false;
    for (size_t j = 0; j < i; ++j) {
      if (!(groups.mesh_axes[i] == groups.mesh_axes[j])) continue;
      return context.Report(Rule::kShardingMeshDisjoint, range, "axis `{}` is named twice",
                            groups.mesh.axes[groups.mesh_axes[i].axis].name);
    }
  }
  return true;
}

// The number of ids in groups of any form; nothing after a report, or when it overflows.
std::optional<int64_t> CheckedIdCount(const RuleContext& context, const OpView& op) {
  const ReplicaGroups groups = op.Get<Attr::kReplicaGroups>();
  if (groups.form == ReplicaGroups::Form::kExplicit) return CheckExplicitGroups(context, op);
  if (!CheckCountedGroups(context, op, groups)) return std::nullopt;
  if (groups.form == ReplicaGroups::Form::kIota) {
    const std::optional<int64_t> tiles = CheckedProduct(groups.tile_dims);
    const std::optional<int64_t> ids = CheckedProduct(groups.iota.dims);
    if (tiles && tiles == ids) return ids;
    return context.Report(Rule::kCollectiveIotaSize, op.attribute_range(Attr::kReplicaGroups),
                          "the groups `[{}]` do not hold the ids of `[{}]`",
                          fmt::join(groups.tile_dims, ","), fmt::join(groups.iota.dims, ","));
  }
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : groups.mesh.axes) sizes.push_back(axis.size);
  return CheckedProduct(sizes);
}

bool CheckGroups(const RuleContext& context, const OpView& op, GroupMode mode) {
  if (!context.options().check_replica_groups) return true;
  if (!HasGroups(op.Get<Attr::kReplicaGroups>())) {
    if (mode != GroupMode::kFlattenedId) return true;
    return ReportGroups(context, op, Rule::kCollectiveFlattenedNeedsGroups,
                        "`use_global_device_ids=true` with a channel needs `replica_groups`");
  }
  const std::optional<int64_t> id_count = CheckedIdCount(context, op);
  const std::optional<int64_t> expected = ExpectedIdCount(context.devices(), mode);
  if (!id_count) return false;
  if (!expected || *expected == 1 || *id_count == *expected) return true;
  return ReportGroups(context, op, Rule::kCollectiveGroupCount,
                      "the groups have {} ids, the {} mode has {}", *id_count, GroupModeText(mode),
                      *expected);
}

// --- Sizes that depend on the group ------------------------------------------------------------

// The arrays an operand list produces: the shape itself, or its elements for several operands.
const Shape& ResultArray(const OpView& op, const Shape& results, int64_t i) {
  return op.operand_count() == 1 ? results : results.element(i);
}

// `longer` has `shard_count` times the size of `shorter`, which must be the group's size.
void CheckShardCount(const RuleContext& context, const OpView& op, const Shape& longer,
                     const Shape& shorter, int64_t group_size, Rule rule) {
  const int64_t dimension = op.Get<Attr::kDimensions>()[0];
  if (group_size <= 1 || longer.is_unbounded(dimension) || shorter.is_unbounded(dimension) ||
      shorter.dim(dimension) == 0) {
    return;
  }
  const int64_t shard_count = CeilDiv(longer.dim(dimension), shorter.dim(dimension));
  if (shard_count == group_size) return;
  context.Report(rule, op.attribute_range(Attr::kDimensions),
                 "dimension {} has size {} in `{}` and {} in `{}`: {} shards in groups of {}",
                 dimension, longer.dim(dimension), ShapeText(longer), shorter.dim(dimension),
                 ShapeText(shorter), shard_count, group_size);
}

void CheckShards(const RuleContext& context, const OpView& op, int64_t group_size) {
  const bool is_start = op.opcode() == Opcode::kAllGatherStart;
  const bool gathers = is_start || op.opcode() == Opcode::kAllGather;
  if (!gathers && op.opcode() != Opcode::kReduceScatter) return;
  const Shape& results = is_start ? op.written_shape()->element(1) : *op.written_shape();
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& operand = op.operand_shape(i);
    const Shape& result = ResultArray(op, results, i);
    if (gathers) {
      CheckShardCount(context, op, result, operand, group_size, Rule::kAllGatherShardCount);
    } else {
      CheckShardCount(context, op, operand, result, group_size, Rule::kReduceScatterShardCount);
    }
  }
}

void CheckAllToAll(const RuleContext& context, const OpView& op, int64_t group_size) {
  if (!op.Has(Attr::kDimensions)) {
    if (op.operand_count() == group_size) return;
    context.Report(Rule::kAllToAllTupleCount, op.opcode_range(), "{} operands in groups of {}",
                   op.operand_count(), group_size);
    return;
  }
  const int64_t dimension = op.Get<Attr::kDimensions>()[0];
  const Shape& operand = op.operand_shape(0);
  if (group_size < 1 || operand.is_unbounded(dimension) ||
      operand.dim(dimension) % group_size == 0) {
    return;
  }
  context.Report(Rule::kAllToAllDivisible, op.operand_range(0),
                 "dimension {} of `{}` does not divide into {} parts", dimension,
                 ShapeText(operand), group_size);
}

// Offsets and sizes: one number per device of the group; the data differ in their first dimension
// only.
void CheckRaggedAllToAll(const RuleContext& context, const OpView& op, int64_t group_size) {
  const Shape& indices = op.operand_shape(2);
  for (int64_t i = 2; i < op.operand_count(); ++i) {
    if (IsInteger(op.operand_shape(i).element_type())) continue;
    context.Report(Rule::kRaggedAllToAllIndexIntegral, op.operand_range(i),
                   "operand {} is `{}`, not of integers", i, ShapeText(op.operand_shape(i)));
    break;
  }
  if (group_size > 1 && !SizesCompatible(indices.dim(0), group_size)) {
    context.Report(Rule::kRaggedAllToAllIndexLength, op.operand_range(2),
                   "`{}` has {} offsets for groups of {}", ShapeText(indices), indices.dim(0),
                   group_size);
  }
  Shape input = op.operand_shape(0);
  const Shape& output = op.operand_shape(1);
  if (input.rank() > 0 && input.rank() == output.rank()) input.set_dim(0, output.dim(0));
  if (Compatible(input, output)) return;
  context.Report(Rule::kRaggedAllToAllDataType, op.operand_range(1),
                 "the output `{}` differs from the input `{}` in more than the first dimension",
                 ShapeText(output), ShapeText(op.operand_shape(0)));
}

// --- Reducers ----------------------------------------------------------------------------------

// (T, T) -> T for the element type of the operands.
bool IsReducerOf(const Signature& reducer, ElementType type) {
  return reducer.parameter_count() == 2 && IsScalarOf(reducer.parameter(0), type) &&
         IsScalarOf(reducer.parameter(1), type) && IsScalarOf(*reducer.result, type);
}

void CheckCollectiveReducer(const RuleContext& context, const OpView& op) {
  if (!op.Has(Attr::kToApply) || op.operand_count() == 0) return;
  const ElementType type = op.operand_shape(0).element_type();
  const std::optional<Signature> reducer = SignatureOf<Attr::kToApply>(op);
  if (reducer && !IsReducerOf(*reducer, type)) {
    context.Report(Rule::kCollectiveReducerSignature, op.attribute_range(Attr::kToApply),
                   "`{}` does not combine two scalars of type `{}` into one", reducer->name(),
                   ElementTypeName(type));
  }
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    if (op.operand_shape(i).element_type() == type) continue;
    context.Report(Rule::kCollectiveTupleElementTypes, op.operand_range(i),
                   "operand {} is `{}`, operand 0 `{}`", i, ShapeText(op.operand_shape(i)),
                   ShapeText(op.operand_shape(0)));
    return;
  }
}

// --- collective-permute ------------------------------------------------------------------------

// How often a device may send (receive): once, or once for each slice of the in-place form.
int64_t AllowedPairs(const OpView& op) {
  if (!op.Has(Attr::kPermuteSliceSizes)) return 1;
  const Shape& offsets = op.operand_shape(2);
  const bool is_array = op.operand_shape(0).IsArray();
  if (!is_array && offsets.element_count() == 0) return 1;
  return is_array ? offsets.element_count() : offsets.element(0).element_count();
}

void CheckPairs(const RuleContext& context, const OpView& op) {
  const SourceRange range = op.attribute_range(Attr::kSourceTargetPairs);
  const bool has_channel = op.Has(Attr::kChannelId);
  const int64_t device_count =
      has_channel ? context.devices().partitions : context.devices().replicas;
  const int64_t allowed = AllowedPairs(op);
  absl::flat_hash_map<int64_t, int64_t> seen[2];
  for (const IntList& pair : op.Get<Attr::kSourceTargetPairs>()) {
    if (pair.size() != 2) {
      context.Report(Rule::kCollectivePermutePairForm, range, "`{{{}}}` is not a pair",
                     fmt::join(pair, ","));
      return;
    }
    for (size_t side = 0; side < 2; ++side) {
      const int64_t id = pair[side];
      const std::string_view word = side == 0 ? "source" : "target";
      if (id < 0 || (device_count > 1 && id >= device_count)) {
        context.Report(Rule::kCollectivePermuteIdRange, range, "{} {} is not one of {} {}", word,
                       id, device_count, has_channel ? "partitions" : "replicas");
        return;
      }
      if (++seen[side][id] <= allowed) continue;
      context.Report(
          side == 0 ? Rule::kCollectivePermuteSourceUnique : Rule::kCollectivePermuteTargetUnique,
          range, "{} {} is in {} pairs instead of at most {}", word, id, allowed + 1, allowed);
      return;
    }
  }
}

void CheckByGroup(const RuleContext& context, const OpView& op) {
  const std::optional<GroupMode> mode = GroupModeOf(op);
  if (!mode) {
    context.Report(Rule::kCollectiveGlobalIdsNeedChannel,
                   op.attribute_range(Attr::kUseGlobalDeviceIds),
                   "`use_global_device_ids=true` without `channel_id`");
    return;
  }
  if (!CheckGroups(context, op, *mode)) return;
  const std::optional<int64_t> group_size = GroupSize(op, context.devices(), *mode);
  if (!group_size) return;
  CheckShards(context, op, *group_size);
  if (op.opcode() == Opcode::kAllToAll) CheckAllToAll(context, op, *group_size);
  if (op.opcode() == Opcode::kRaggedAllToAll) CheckRaggedAllToAll(context, op, *group_size);
}

// XLA demands this where it infers shapes, not of those that are written.
void CheckDynamicRoot(const RuleContext& context, const OpView& op) {
  if (op.opcode() != Opcode::kCollectiveBroadcast || !op.Get<Attr::kHasDynamicRoot>()) return;
  const int64_t data_count = op.operand_count() - 1;
  const Shape& root = op.operand_shape(data_count);
  if (Compatible(root, Shape::Array(ElementType::kS32, {{data_count}}))) return;
  context.ReportAs(Severity::kWarning, Rule::kCollectiveBroadcastDynamicRoot,
                   op.operand_range(data_count), "the dynamic root is `{}` instead of `s32[{}]`",
                   ShapeText(root), data_count);
}

}  // namespace

void VerifyCollective(const RuleContext& context, const OpView& op) {
  if (FindAttributeUse(op.opcode(), Attr::kReplicaGroups) != nullptr) {
    CheckByGroup(context, op);
    CheckCollectiveReducer(context, op);
    CheckDynamicRoot(context, op);
  } else if (op.Has(Attr::kSourceTargetPairs)) {
    CheckPairs(context, op);
  }
}

// All all-reduces constrain their layouts, or none does.
void VerifyCollectiveAgreement(const RuleContext& context) {
  const Instruction* first = nullptr;
  for (const Instruction& instruction : context.module().instructions()) {
    if (!MayBeUneven(instruction.opcode)) continue;
    if (first == nullptr) first = &instruction;
    if (instruction.Get<Attr::kConstrainLayout>() == first->Get<Attr::kConstrainLayout>()) continue;
    const OpView op = context.View(instruction);
    context.Report(Rule::kCollectiveConstrainLayoutMix, op.attribute_range(Attr::kConstrainLayout),
                   "`constrain_layout={}` differs from that of `{}`",
                   instruction.Get<Attr::kConstrainLayout>(), first->name);
    context.Note(Rule::kCollectiveConstrainLayoutMix, first->name_range, "`{}` is here",
                 first->name);
    return;
  }
}

}  // namespace hlo
