// First every form is written out as ids, 2^24 at most; then ids become participants as the mode
// says (semantics.md 14.2). A mesh is cut wherever some reference cuts an axis, and groups are a
// transposition with the listed parts innermost. The smallest grid of a module (14.1) takes two
// steps: flattened ids speak of both counts.
#include "ir/participant_groups.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "ir/index_space.h"
#include "ir/transfer_ends.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

constexpr int64_t kMaxListedIds = int64_t{1} << 24;

// --- Arrays of ids -----------------------------------------------------------------------------

// The ids of an array with the sizes `dims` in the order in which `order`, dimensions outermost
// first, has them: ids[k] belongs to the k-th index.
std::vector<int64_t> TransposedIds(std::span<const int64_t> dims, std::span<const int64_t> order,
                                   std::span<const int64_t> ids) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  std::vector<int64_t> sizes;
  for (int64_t d : order) sizes.push_back(dims[static_cast<size_t>(d)]);
  std::vector<int64_t> result;
  result.reserve(ids.size());
  for (const Index& index : IndexSpace(sizes)) {
    int64_t at = 0;
    for (size_t d = 0; d < sizes.size(); ++d)
      at += index[d] * strides[static_cast<size_t>(order[d])];
    result.push_back(ids[static_cast<size_t>(at)]);
  }
  return result;
}

std::vector<int64_t> Iota(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return numbers;
}

absl::StatusOr<int64_t> ListableCount(std::span<const int64_t> sizes) {
  const std::optional<int64_t> count = CheckedProduct(sizes);
  if (count && *count >= 0 && *count <= kMaxListedIds) return *count;
  return absl::ResourceExhaustedError(
      fmt::format("the groups have more than {} ids", kMaxListedIds));
}

IdGroups Cut(std::span<const int64_t> ids, int64_t group_size) {
  IdGroups groups;
  for (size_t i = 0; group_size > 0 && i < ids.size(); i += static_cast<size_t>(group_size)) {
    groups.emplace_back(ids.begin() + static_cast<std::ptrdiff_t>(i),
                        ids.begin() + static_cast<std::ptrdiff_t>(i) + group_size);
  }
  return groups;
}

bool IsPermutationOf(std::span<const int64_t> numbers, size_t count) {
  std::vector<bool> seen(count);
  for (int64_t number : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(count) || seen[static_cast<size_t>(number)]) {
      return false;
    }
    seen[static_cast<size_t>(number)] = true;
  }
  return numbers.size() == count;
}

absl::StatusOr<std::vector<int64_t>> IotaIds(const IotaDevices& iota) {
  HLO_ASSIGN_OR_RETURN(const int64_t count, ListableCount(iota.dims));
  if (iota.permutation.empty()) return Iota(count);
  if (!IsPermutationOf(iota.permutation, iota.dims.size())) {
    return absl::InvalidArgumentError("the iota's permutation is none of its dimensions");
  }
  return TransposedIds(iota.dims, iota.permutation, Iota(count));
}

absl::StatusOr<IdGroups> IotaGroups(const ReplicaGroups& groups) {
  HLO_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, IotaIds(groups.iota));
  HLO_ASSIGN_OR_RETURN(const int64_t tiles, ListableCount(groups.tile_dims));
  if (tiles != static_cast<int64_t>(ids.size())) {
    return absl::InvalidArgumentError(
        fmt::format("the groups have room for {} ids and there are {}", tiles, ids.size()));
  }
  return Cut(ids, groups.tile_dims.size() < 2 ? 1 : groups.tile_dims.back());
}

// --- Meshes ------------------------------------------------------------------------------------

// A mesh with every axis cut where some reference cuts it: dimensions, the major part of an axis
// first.
class CutMesh {
 public:
  explicit CutMesh(const ReplicaGroups& groups) : groups_(groups) {}

  absl::StatusOr<IdGroups> Groups() {
    HLO_RETURN_IF_ERROR(CutAxes());
    HLO_ASSIGN_OR_RETURN(const int64_t count, ListableCount(dims_));
    HLO_ASSIGN_OR_RETURN(const std::vector<int64_t> devices, Devices(count));
    std::vector<int64_t> listed;
    int64_t group_size = 1;
    for (const AxisRef& axis : groups_.mesh_axes) {
      for (int64_t d : Parts(axis)) {
        listed.push_back(d);
        group_size *= dims_[static_cast<size_t>(d)];
      }
    }
    std::vector<int64_t> order;
    for (int64_t d = 0; d < static_cast<int64_t>(dims_.size()); ++d) {
      if (std::ranges::find(listed, d) == listed.end()) order.push_back(d);
    }
    order.insert(order.end(), listed.begin(), listed.end());
    if (!IsPermutationOf(order, dims_.size())) {
      return absl::InvalidArgumentError("the groups name a part of a mesh's axis twice");
    }
    return Cut(TransposedIds(dims_, order, devices), group_size);
  }

 private:
  absl::Status CutAxes() {
    for (size_t a = 0; a < groups_.mesh.axes.size(); ++a) {
      const int64_t size = groups_.mesh.axes[a].size;
      std::vector<int64_t> cuts = {1, size};
      for (const AxisRef& ref : groups_.mesh_axes) {
        if (ref.axis < 0 || ref.axis >= static_cast<int64_t>(groups_.mesh.axes.size())) {
          return absl::InvalidArgumentError("the groups name an axis that the mesh does not have");
        }
        if (ref.axis != static_cast<int64_t>(a) || ref.IsWhole()) continue;
        const std::optional<int64_t> end = CheckedMul(ref.pre_size, ref.size);
        if (!end || *end < 1 || size % *end != 0) return NoPart(ref);
        cuts.push_back(ref.pre_size);
        cuts.push_back(*end);
      }
      std::ranges::sort(cuts);
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (size_t i = 1; i < cuts.size(); ++i) {
        if (cuts[i - 1] < 1 || cuts[i] % cuts[i - 1] != 0) {
          return absl::InvalidArgumentError(
              fmt::format("the groups cut axis '{}' in ways that do not fit each other",
                          groups_.mesh.axes[a].name));
        }
        starts_.push_back({static_cast<int64_t>(a), cuts[i - 1]});
        dims_.push_back(cuts[i] / cuts[i - 1]);
      }
    }
    return absl::OkStatus();
  }

  absl::Status NoPart(const AxisRef& ref) const {
    const MeshAxis& axis = groups_.mesh.axes[static_cast<size_t>(ref.axis)];
    return absl::InvalidArgumentError(fmt::format("'{}':({}){} is no part of an axis of {}",
                                                  axis.name, ref.pre_size, ref.size, axis.size));
  }

  // The dimensions that a reference takes, major first.
  std::vector<int64_t> Parts(const AxisRef& ref) const {
    const int64_t from = ref.IsWhole() ? 1 : ref.pre_size;
    const int64_t to = ref.IsWhole() ? groups_.mesh.axes[static_cast<size_t>(ref.axis)].size
                                     : ref.pre_size * ref.size;
    std::vector<int64_t> parts;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const auto [axis, start] = starts_[d];
      if (axis == ref.axis && start >= from && start < to) parts.push_back(static_cast<int64_t>(d));
    }
    return parts;
  }

  absl::StatusOr<std::vector<int64_t>> Devices(int64_t count) const {
    std::vector<int64_t> devices;
    switch (groups_.mesh.order) {
      case DeviceOrder::kNone:
        return Iota(count);
      case DeviceOrder::kList:
        devices.assign(groups_.mesh.device_list.begin(), groups_.mesh.device_list.end());
        break;
      case DeviceOrder::kIota: {
        HLO_ASSIGN_OR_RETURN(devices, IotaIds(groups_.mesh.device_iota));
        break;
      }
    }
    if (static_cast<int64_t>(devices.size()) == count) return devices;
    return absl::InvalidArgumentError(
        fmt::format("a mesh of {} devices lists {}", count, devices.size()));
  }

  const ReplicaGroups& groups_;
  std::vector<int64_t> dims_;
  std::vector<std::pair<int64_t, int64_t>> starts_;  // by dimension: axis, where its part begins
};

// --- Participants ------------------------------------------------------------------------------

absl::Status CheckId(int64_t id, int64_t count, std::string_view what) {
  if (id >= 0 && id < count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("it names {} {}, and {} {} running", what, id, count, count == 1 ? "is" : "are"));
}

std::string_view IdWord(GroupMode mode) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return "replica";
    case GroupMode::kCrossPartition:
      return "partition";
    case GroupMode::kFlattenedId:
      return "participant";
  }
  return "";
}

void AppendParticipants(const IdGroups& groups, GroupMode mode, const DeviceCounts& counts,
                        IdGroups& result) {
  for (const std::vector<int64_t>& group : groups) {
    switch (mode) {
      case GroupMode::kCrossReplica:
        for (int64_t p = 0; p < counts.partitions; ++p) {
          for (int64_t& id : result.emplace_back(group)) id = id * counts.partitions + p;
        }
        break;
      case GroupMode::kCrossPartition:
        for (int64_t r = 0; r < counts.replicas; ++r) {
          for (int64_t& id : result.emplace_back(group)) id += r * counts.partitions;
        }
        break;
      case GroupMode::kCrossReplicaAndPartition: {
        std::vector<int64_t>& all = result.emplace_back();
        for (int64_t id : group) {
          for (int64_t p = 0; p < counts.partitions; ++p) all.push_back(id * counts.partitions + p);
        }
        break;
      }
      case GroupMode::kFlattenedId:
        result.push_back(group);
        break;
    }
  }
}

// Pairs of ids of one kind, for every id of the other.
absl::StatusOr<std::vector<ParticipantPair>> SpreadPairs(
    std::span<const std::pair<int64_t, int64_t>> pairs, bool of_partitions,
    const DeviceCounts& counts) {
  std::vector<ParticipantPair> result;
  const int64_t id_count = of_partitions ? counts.partitions : counts.replicas;
  const int64_t other_count = of_partitions ? counts.replicas : counts.partitions;
  const auto participant = [&](int64_t id, int64_t other) {
    return of_partitions ? other * counts.partitions + id : id * counts.partitions + other;
  };
  for (const auto& [source, target] : pairs) {
    for (int64_t id : {source, target}) {
      HLO_RETURN_IF_ERROR(CheckId(id, id_count, of_partitions ? "partition" : "replica"));
    }
    for (int64_t other = 0; other < other_count; ++other) {
      result.push_back({participant(source, other), participant(target, other)});
    }
  }
  return result;
}

}  // namespace

std::string ParticipantText(ParticipantId id, const DeviceCounts& counts) {
  if (counts.partitions == 1) return fmt::format("replica {}", id);
  if (counts.replicas == 1) return fmt::format("partition {}", id);
  return fmt::format("replica {}, partition {}", ReplicaOf(id, counts), PartitionOf(id, counts));
}

absl::StatusOr<IdGroups> ListedGroups(const ReplicaGroups& groups) {
  switch (groups.form) {
    case ReplicaGroups::Form::kExplicit: {
      IdGroups listed;
      for (const IntList& group : groups.groups) listed.emplace_back(group.begin(), group.end());
      return listed;
    }
    case ReplicaGroups::Form::kIota:
      return IotaGroups(groups);
    case ReplicaGroups::Form::kMesh:
      return CutMesh(groups).Groups();
  }
  return IdGroups();
}

absl::StatusOr<IdGroups> ParticipantGroups(const OpView& op, const DeviceCounts& counts) {
  const std::optional<GroupMode> mode = GroupModeOf(op);
  const std::optional<int64_t> id_count = mode ? ExpectedIdCount(counts, *mode) : std::nullopt;
  if (!id_count) return absl::InvalidArgumentError("`use_global_device_ids` needs a channel");
  HLO_ASSIGN_OR_RETURN(IdGroups groups, ListedGroups(op.Get<Attr::kReplicaGroups>()));
  if (groups.empty()) groups.push_back(Iota(*id_count));
  std::vector<bool> seen(static_cast<size_t>(*id_count));
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t id : group) {
      HLO_RETURN_IF_ERROR(CheckId(id, *id_count, IdWord(*mode)));
      if (seen[static_cast<size_t>(id)]) {
        return absl::InvalidArgumentError(
            fmt::format("{} {} is in its groups twice", IdWord(*mode), id));
      }
      seen[static_cast<size_t>(id)] = true;
    }
  }
  IdGroups result;
  AppendParticipants(groups, *mode, counts, result);
  return result;
}

absl::StatusOr<std::vector<ParticipantPair>> PermutePairs(const OpView& op,
                                                          const DeviceCounts& counts) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const IntList& pair : op.Get<Attr::kSourceTargetPairs>()) {
    if (pair.size() == 2) pairs.push_back({pair[0], pair[1]});
  }
  return SpreadPairs(pairs, op.Has(Attr::kChannelId), counts);
}

std::optional<std::vector<std::pair<int64_t, int64_t>>> ParsePairs(std::string_view text) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    int64_t number = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      if (number > INT32_MAX) return std::nullopt;
      number = number * 10 + (text[i] - '0');
    }
    numbers.push_back(number);
  }
  if (numbers.size() % 2 != 0) return std::nullopt;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < numbers.size(); i += 2) pairs.push_back({numbers[i], numbers[i + 1]});
  return pairs;
}

std::string_view TransferPairsText(const Instruction& instruction) {
  for (const FrontendAttribute& attribute : instruction.Get<Attr::kFrontendAttributes>()) {
    if (attribute.key == "_xla_send_recv_source_target_pairs") return attribute.value;
  }
  return {};
}

absl::StatusOr<std::vector<ParticipantPair>> TransferPairs(std::string_view text, int64_t channel,
                                                           const DeviceCounts& counts) {
  const auto pairs = ParsePairs(text);
  if (!pairs) return absl::InvalidArgumentError(fmt::format("`{}` is no list of pairs", text));
  return SpreadPairs(*pairs, channel > 0, counts);
}

// --- What a module needs -----------------------------------------------------------------------

namespace {

// A custom call between the whole array and the part of it that a partition has.
bool IsShardBorder(const OpView& op) {
  if (op.opcode() != Opcode::kCustomCall || op.operand_count() != 1) return false;
  const std::string_view target = op.Get<Attr::kCustomCallTarget>();
  return (target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape") &&
         !Compatible(op.operand_shape(0), *op.written_shape());
}

class NeedsFinder {
 public:
  NeedsFinder(const Module& module, const KnownCounts& known) : module_(module), known_(known) {
    needs_.counts = {known.replicas.value_or(1), known.partitions.value_or(1)};
  }

  ParticipantNeeds Find() {
    for (const Instruction& instruction : module_.instructions()) Visit(instruction);
    FitFlattened();
    const bool is_known = needs_.counts.replicas == known_.replicas.value_or(1) &&
                          needs_.counts.partitions == known_.partitions.value_or(1);
    if (is_known) needs_.reason = InstructionId();
    return needs_;
  }

 private:
  // Flattened ids speak of both counts: programs that ask for their replica have replicas, others
  // partitions.
  void FitFlattened() {
    DeviceCounts& counts = needs_.counts;
    if (flattened_ <= counts.replicas * counts.partitions) return;
    const bool has_replicas = known_.partitions || (asks_replica_ && !asks_partition_);
    if (has_replicas && !known_.replicas) {
      counts.replicas = CeilDiv(flattened_, counts.partitions);
    } else if (!known_.partitions) {
      counts.partitions = CeilDiv(flattened_, counts.replicas);
    }
  }

  void Visit(const Instruction& instruction) {
    const OpView op(module_, instruction);
    if (instruction.opcode == Opcode::kReplicaId) asks_replica_ = true;
    if (instruction.opcode == Opcode::kPartitionId) asks_partition_ = true;
    if (GetOpcodeInfo(instruction.opcode).family == OpcodeFamily::kCollective) {
      needs_.has_participants = true;
    }
    if (IsShardBorder(op)) needs_.has_participants = true;
    if (FindAttributeUse(instruction.opcode, Attr::kReplicaGroups) != nullptr) {
      VisitGroups(op);
    } else if (op.Has(Attr::kSourceTargetPairs)) {
      for (const IntList& pair : op.Get<Attr::kSourceTargetPairs>()) {
        for (int64_t id : pair) NeedOf(op.Has(Attr::kChannelId), id, instruction);
      }
    } else if (instruction.opcode == Opcode::kSend || instruction.opcode == Opcode::kRecv) {
      VisitTransfer(op);
    }
  }

  void VisitGroups(const OpView& op) {
    const std::optional<GroupMode> mode = GroupModeOf(op);
    const absl::StatusOr<IdGroups> groups = ListedGroups(op.Get<Attr::kReplicaGroups>());
    if (!mode || !groups.ok()) return;
    for (const std::vector<int64_t>& group : *groups) {
      for (int64_t id : group) {
        if (*mode == GroupMode::kFlattenedId) {
          Need(flattened_, id, op.instruction());
        } else {
          NeedOf(*mode == GroupMode::kCrossPartition, id, op.instruction());
        }
      }
    }
  }

  void VisitTransfer(const OpView& op) {
    if (op.Get<Attr::kIsHostTransfer>()) return;
    needs_.has_participants = true;
    const std::string_view text = TransferPairsText(op.instruction());
    const std::optional<int64_t> device = MaximalDevice(op.instruction());
    if (text.empty() && device) NeedOf(/*of_partitions=*/true, *device, op.instruction());
    const auto pairs = ParsePairs(text);
    if (!pairs) return;
    for (const auto& [source, target] : *pairs) {
      for (int64_t id : {source, target}) {
        NeedOf(op.Get<Attr::kChannelId>() > 0, id, op.instruction());
      }
    }
  }

  void NeedOf(bool of_partitions, int64_t id, const Instruction& instruction) {
    DeviceCounts& counts = needs_.counts;
    if (!(of_partitions ? known_.partitions : known_.replicas))
      Need(of_partitions ? counts.partitions : counts.replicas, id, instruction);
  }

  void Need(int64_t& count, int64_t id, const Instruction& instruction) {
    if (id < count || id >= kMaxListedIds) return;
    count = id + 1;
    needs_.reason = module_.id_of(instruction);
  }

  const Module& module_;
  const KnownCounts known_;
  ParticipantNeeds needs_;
  int64_t flattened_ = 1;
  bool asks_replica_ = false;
  bool asks_partition_ = false;
};

}  // namespace

ParticipantNeeds FindParticipantNeeds(const Module& module, const KnownCounts& known) {
  return NeedsFinder(module, known).Find();
}

}  // namespace hlo
