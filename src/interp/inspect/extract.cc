// A part is cloned with a map of what has come along already: called computations first, then
// operands, each once, as parameters. Tokens cannot come from outside and are made inside. Of a
// collective the participants are cut first, since dimensions of blocks are multiples of their
// number; then operands; its result follows from these.
#include "interp/inspect/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/called_computations.h"
#include "ir/module_builder.h"
#include "ir/participant_groups.h"
#include "support/count_text.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

void KeepCounts(const Module& module, ModuleBuilder& builder) {
  if (const int64_t* count = module.GetIf<Attr::kReplicaCount>()) {
    builder.SetModule<Attr::kReplicaCount>(*count);
  }
  if (const int64_t* count = module.GetIf<Attr::kNumPartitions>()) {
    builder.SetModule<Attr::kNumPartitions>(*count);
  }
}

bool HasToken(const Shape& shape) {
  return shape.IsToken() || std::ranges::any_of(shape.elements(), HasToken);
}

// A value of `shape` that comes from outside; tokens do not.
InstructionId Define(ModuleBuilder& builder, ComputationId into, const Shape& shape,
                     const std::string& name) {
  if (!HasToken(shape)) return builder.AddParameter(into, shape, name);
  if (shape.IsToken()) return builder.Add(into, Opcode::kAfterAll, shape, {}, name);
  std::vector<InstructionId> elements;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    elements.push_back(Define(builder, into, shape.element(i), fmt::format("{}.{}", name, i)));
  }
  return builder.Add(into, Opcode::kTuple, shape, elements, name);
}

// The instruction with all that it goes on with and that goes on with it, in order.
std::vector<InstructionId> WholeOperation(const Module& module, InstructionId id) {
  while (HasTrait(module.instruction(id).opcode, kTakesContext)) {
    id = module.instruction(id).operands[0].id;
  }
  std::vector<InstructionId> chain = {id};
  const Computation& computation = module.computation(module.instruction(id).computation);
  for (InstructionId next : computation.instructions) {
    const Instruction& instruction = module.instruction(next);
    if (HasTrait(instruction.opcode, kTakesContext) && instruction.operands[0].id == chain.back()) {
      chain.push_back(next);
    }
  }
  return chain;
}

bool HasPartner(Opcode opcode) {
  return opcode == Opcode::kSend || opcode == Opcode::kSendDone || opcode == Opcode::kRecv ||
         opcode == Opcode::kRecvDone || opcode == Opcode::kParameter;
}

// Callees first: the text defines computations before they are called.
void CloneCallees(const Module& module, const Instruction& instruction, ModuleBuilder& builder,
                  CloneMap& map) {
  ForEachCalledComputation(instruction, [&](Attr, ComputationId callee) {
    if (!map.computations.contains(callee)) builder.CloneComputation(module, callee, map);
  });
}

}  // namespace

absl::StatusOr<Module> ExtractInstruction(const Module& module, InstructionId id) {
  const Instruction& asked = module.instruction(id);
  if (HasPartner(asked.opcode)) {
    return absl::UnimplementedError(
        fmt::format("`{}`: a `{}` is nothing by itself", asked.name, OpcodeName(asked.opcode)));
  }
  ModuleBuilder builder("only");
  KeepCounts(module, builder);
  CloneMap map;
  const std::vector<InstructionId> chain = WholeOperation(module, id);
  for (InstructionId part : chain) CloneCallees(module, module.instruction(part), builder, map);
  const ComputationId main = builder.AddComputation("main");
  for (InstructionId part : chain) {
    for (const Operand& operand : module.instruction(part).operands) {
      if (map.instructions.contains(operand.id)) continue;
      const Instruction& value = module.instruction(operand.id);
      map.instructions[operand.id] = Define(builder, main, *value.shape, std::string(value.name));
    }
    builder.SetRoot(main, builder.CloneInstruction(module, part, main, map));
  }
  builder.SetEntry(main);
  builder.OrderCalleesFirst();
  return std::move(builder).Finish();
}

Module ExtractComputation(const Module& module, ComputationId id) {
  ModuleBuilder builder("only");
  KeepCounts(module, builder);
  CloneMap map;
  builder.SetEntry(builder.CloneComputation(module, id, map));
  builder.OrderCalleesFirst();
  return std::move(builder).Finish();
}

// --- Collectives that are cut ------------------------------------------------------------------

namespace {

class CollectiveCutter {
 public:
  CollectiveCutter(const Module& module, InstructionId id, const CollectiveLimits& limits)
      : op_(module, module.instruction(id)), limits_(limits), builder_("only") {}

  absl::StatusOr<Module> Cut(std::string* how) {
    HLO_RETURN_IF_ERROR(CutParticipants());
    HLO_ASSIGN_OR_RETURN(const std::vector<Shape> operands, OperandShapes());
    CloneMap map;
    CloneCallees(op_.module(), op_.instruction(), builder_, map);
    const ComputationId main = builder_.AddComputation("main");
    for (int64_t i = 0; i < op_.operand_count(); ++i) {
      const Instruction& operand = op_.operand(i);
      const InstructionId from = op_.module().id_of(operand);
      if (map.instructions.contains(from)) continue;
      map.instructions[from] =
          builder_.AddParameter(main, operands[static_cast<size_t>(i)], operand.name);
    }
    const InstructionId root =
        builder_.CloneInstruction(op_.module(), op_.module().id_of(op_.instruction()), main, map);
    builder_.RemoveAttribute(root, Attr::kSharding);
    SetParticipants(root);
    std::vector<Shape> results;
    for (const Shape& operand : operands) results.push_back(ResultOf(operand));
    builder_.SetShape(root, results.size() == 1 && op_.written_shape()->IsArray()
                                ? results[0]
                                : Shape::Tuple(results));
    builder_.SetRoot(main, root);
    builder_.SetEntry(main);
    *how = how_;
    return std::move(builder_).Finish();
  }

 private:
  absl::Status Unimplemented(std::string_view why) const {
    return absl::UnimplementedError(
        fmt::format("`{}`: {}", op_.instruction().name, std::string(why)));
  }

  void Say(std::string text) { how_ += (how_.empty() ? "" : "; ") + text; }

  absl::Status CutParticipants() {
    switch (op_.opcode()) {
      case Opcode::kAllGather:
      case Opcode::kAllReduce:
      case Opcode::kAllToAll:
      case Opcode::kReduceScatter:
      case Opcode::kCollectiveBroadcast:
        return CutGroups();
      case Opcode::kCollectivePermute:
        if (op_.Has(Attr::kPermuteSliceSizes)) return Unimplemented("slices are not cut");
        return CutPairs();
      default:
        return Unimplemented("no collective that can be cut");
    }
  }

  absl::Status CutGroups() {
    const std::optional<GroupMode> mode = GroupModeOf(op_);
    if (!mode || *mode == GroupMode::kCrossReplicaAndPartition) {
      return Unimplemented("groups of replicas with their partitions are not cut");
    }
    of_replicas_ = *mode == GroupMode::kCrossReplica;
    HLO_ASSIGN_OR_RETURN(groups_, ListedGroups(op_.Get<Attr::kReplicaGroups>()));
    if (groups_.empty()) {
      HLO_ASSIGN_OR_RETURN(const int64_t count, EveryoneCount(*mode));
      groups_.resize(1);
      for (int64_t id = 0; id < count; ++id) groups_[0].push_back(id);
    }
    const auto limit = static_cast<size_t>(limits_.participants);
    size_t count = 0;
    size_t kept = 0;
    for (; kept < groups_.size(); ++kept) {
      if (count + groups_[kept].size() > limit) break;
      count += groups_[kept].size();
    }
    whole_group_size_ = groups_[0].size();
    if (kept == 0) {
      Say(fmt::format("the first {} members of a group of {}", limit, groups_[0].size()));
      groups_.resize(1);
      groups_[0].resize(limit);
    } else if (kept < groups_.size()) {
      Say(fmt::format("{} of {} groups", kept, groups_.size()));
      groups_.resize(kept);
    }
    Renumber();
    return absl::OkStatus();
  }

  // How many are in the one group of everybody: what the header says, or the sizes of its arrays.
  absl::StatusOr<int64_t> EveryoneCount(GroupMode mode) const {
    const int64_t count = ExpectedIdCount(DeviceCountsOf(op_.module(), {}), mode).value_or(1);
    if (count > 1 || op_.operand_count() == 0) return count;
    const std::optional<int64_t> d = BlockDimension();
    const Shape& operand = op_.operand_shape(0);
    const Shape& result = *op_.written_shape();
    if (d && operand.IsArray() && result.IsArray()) {
      const int64_t small = std::min(operand.dim(*d), result.dim(*d));
      const int64_t large = std::max(operand.dim(*d), result.dim(*d));
      if (small > 0 && large > small) return large / small;
    }
    return Unimplemented("nobody says how many its group has");
  }

  // Ids become 0, 1, ... in the same order.
  void Renumber() {
    std::vector<int64_t> ids;
    for (const auto& group : groups_) ids.insert(ids.end(), group.begin(), group.end());
    std::ranges::sort(ids);
    for (auto& group : groups_) {
      for (int64_t& id : group) id = std::ranges::lower_bound(ids, id) - ids.begin();
    }
    count_ = static_cast<int64_t>(ids.size());
  }

  absl::Status CutPairs() {
    of_replicas_ = !op_.Has(Attr::kChannelId);
    for (const IntList& pair : op_.Get<Attr::kSourceTargetPairs>()) {
      if (pair.size() == 2 && std::max(pair[0], pair[1]) < limits_.participants) {
        groups_.push_back({pair[0], pair[1]});
        count_ = std::max(count_, std::max(pair[0], pair[1]) + 1);
      }
    }
    const size_t all = op_.Get<Attr::kSourceTargetPairs>().size();
    if (groups_.size() < all) Say(fmt::format("{} of {} pairs", groups_.size(), all));
    return absl::OkStatus();
  }

  void SetParticipants(InstructionId root) {
    const std::vector<IntList> lists(groups_.begin(), groups_.end());
    if (op_.opcode() == Opcode::kCollectivePermute) {
      builder_.Set<Attr::kSourceTargetPairs>(root, lists);
    } else {
      ReplicaGroups groups;
      groups.groups = lists;
      builder_.Set<Attr::kReplicaGroups>(root, groups);
    }
    builder_.SetModule<Attr::kReplicaCount>(of_replicas_ ? count_ : 1);
    builder_.SetModule<Attr::kNumPartitions>(of_replicas_ ? 1 : count_);
  }

  int64_t group_size() const { return static_cast<int64_t>(groups_[0].size()); }

  // The dimension along which blocks go between members; none: arrays go whole.
  std::optional<int64_t> BlockDimension() const {
    if (FindAttributeUse(op_.opcode(), Attr::kDimensions) == nullptr ||
        !op_.Has(Attr::kDimensions)) {
      return std::nullopt;
    }
    return op_.Get<Attr::kDimensions>()[0];
  }

  absl::StatusOr<std::vector<Shape>> OperandShapes() {
    const bool has_blocks = op_.opcode() == Opcode::kReduceScatter ||
                            (op_.opcode() == Opcode::kAllToAll && BlockDimension());
    if (op_.opcode() == Opcode::kAllToAll && !has_blocks &&
        whole_group_size_ != groups_[0].size()) {
      return Unimplemented("an operand for each member cannot be cut");
    }
    bool is_cut = false;
    std::vector<Shape> shapes;
    for (int64_t i = 0; i < op_.operand_count(); ++i) {
      Shape& shape = shapes.emplace_back(op_.operand_shape(i));
      if (!shape.IsArray()) return Unimplemented("an operand is no array");
      for (int64_t d = 0; d < shape.rank(); ++d) {
        const bool is_block = has_blocks && d == *BlockDimension();
        const int64_t blocks = is_block ? static_cast<int64_t>(whole_group_size_) : 1;
        if (shape.dim(d) % blocks != 0) return Unimplemented("its dimension has no equal blocks");
        const int64_t size = std::min(shape.dim(d) / blocks, limits_.dimension);
        is_cut |= size != shape.dim(d) / blocks;
        shape.set_dim(d, is_block ? size * group_size() : size);
      }
    }
    if (is_cut) Say(fmt::format("dimensions of at most {}", limits_.dimension));
    return shapes;
  }

  Shape ResultOf(Shape shape) const {
    const std::optional<int64_t> d = BlockDimension();
    if (op_.opcode() == Opcode::kAllGather) shape.set_dim(*d, shape.dim(*d) * group_size());
    if (op_.opcode() == Opcode::kReduceScatter) shape.set_dim(*d, shape.dim(*d) / group_size());
    return shape;
  }

  const OpView op_;
  const CollectiveLimits limits_;
  ModuleBuilder builder_;
  IdGroups groups_;  // or pairs
  size_t whole_group_size_ = 1;
  int64_t count_ = 1;
  bool of_replicas_ = false;
  std::string how_;
};

}  // namespace

absl::StatusOr<Module> ExtractCutCollective(const Module& module, InstructionId id,
                                            const CollectiveLimits& limits, std::string* how) {
  return CollectiveCutter(module, id, limits).Cut(how);
}

}  // namespace hlo
