// Whole values are read once, smaller ones filled up, and cut for the participants of this process
// only. What partitions have whole is one literal for all of them. Results are joined replica by
// replica: the partitions of one are neighbours (semantics.md 14.1).
#include "tools/run_shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "interp/replica/shards.h"
#include "support/status_macros.h"

namespace hlo::tools {
namespace {

const Sharding* ShardingOf(const Instruction& instruction) {
  return instruction.attributes.GetIf<Attr::kSharding>();
}

// By parameter; nothing when a sharding makes no sense.
std::optional<std::vector<ShardMap>> ParameterMaps(const Module& module, int64_t partitions,
                                                   DiagnosticSink& sink) {
  std::vector<ShardMap> maps;
  for (size_t i = 0; i < module.entry().parameters.size(); ++i) {
    const Instruction& parameter = module.instruction(module.entry().parameters[i]);
    absl::StatusOr<ShardMap> map =
        ShardMap::Make(*parameter.shape, ShardingOf(parameter), partitions);
    if (map.ok()) {
      maps.push_back(*std::move(map));
      continue;
    }
    sink.Error(Rule::kRunInput, parameter.range, "input for parameter {} (`{}`) is not cut: {}", i,
               parameter.name, std::string(map.status().message()));
  }
  if (maps.size() < module.entry().parameters.size()) return std::nullopt;
  return maps;
}

// What is given for parameter `k` with the filling that its tiles have, of which a note tells;
// false: it does not fit.
bool FillUp(const Module& module, const ShardMap& map, size_t k, Inputs& inputs,
            DiagnosticSink& sink) {
  Literal& value = inputs.values[k];
  const Instruction& parameter = module.instruction(module.entry().parameters[k]);
  const bool has_sizes = value.shape().IsArray() && !value.dynamic_sizes().empty();
  const std::string sizes = fmt::format("{}", fmt::join(value.dynamic_sizes(), ","));
  absl::StatusOr<Literal> filled = map.Fill(std::move(value));
  if (!filled.ok()) {
    sink.Error(Rule::kRunInput, parameter.range, "input for parameter {} (`{}`) is not cut: {}", k,
               parameter.name, std::string(filled.status().message()));
    return false;
  }
  if (has_sizes && !map.IsWhole()) {
    inputs.notes.push_back(fmt::format("input `{}`: [{}] is filled up with zeros to [{}]",
                                       parameter.name, sizes, fmt::join(map.whole().dims(), ",")));
  }
  value = *std::move(filled);
  return true;
}

}  // namespace

absl::StatusOr<std::optional<ParticipantInputs>> MakeCutInputs(const Module& module,
                                                               InputOptions options,
                                                               const DeviceCounts& counts,
                                                               const ParticipantRange& local,
                                                               DiagnosticSink& sink) {
  const std::optional<std::vector<ShardMap>> maps = ParameterMaps(module, counts.partitions, sink);
  if (!maps) return std::nullopt;
  for (const ShardMap& map : *maps) options.whole_shapes.push_back(map.Given());
  HLO_ASSIGN_OR_RETURN(std::optional<Inputs> whole, MakeInputs(module, options, sink));
  if (!whole) return std::nullopt;
  ParticipantInputs result;
  result.by_participant.resize(static_cast<size_t>(local.count));
  for (size_t k = 0; k < maps->size(); ++k) {
    const ShardMap& map = (*maps)[k];
    if (!FillUp(module, map, k, *whole, sink)) return std::nullopt;
    result.is_everybodys_own |= !map.IsWhole();
    const Literal* shared = nullptr;
    if (map.IsWhole()) shared = &result.literals.emplace_back(std::move(whole->values[k]));
    for (size_t i = 0; i < result.by_participant.size(); ++i) {
      const Literal* own = shared;
      if (own == nullptr) {
        const ParticipantId id = local.first + static_cast<ParticipantId>(i);
        HLO_ASSIGN_OR_RETURN(Literal tile, map.Cut(whole->values[k], PartitionOf(id, counts)));
        own = &result.literals.emplace_back(std::move(tile));
      }
      result.by_participant[i].push_back(own);
    }
  }
  result.notes = std::move(whole->notes);
  return result;
}

std::optional<std::vector<Literal>> JoinResults(const Module& module,
                                                std::span<const Literal> results,
                                                const DeviceCounts& counts, DiagnosticSink& sink) {
  const Instruction& root = module.root(module.entry());
  const auto fail = [&](const absl::Status& status) {
    sink.Error(absl::IsResourceExhausted(status) ? Rule::kRunMemory : Rule::kRunFailed, root.range,
               "the results are not put together: {}", std::string(status.message()));
    return std::nullopt;
  };
  if (ShardingOf(root) == nullptr) {
    return fail(
        absl::InvalidArgumentError("the root has no sharding that says who has which part"));
  }
  const absl::StatusOr<ShardMap> map =
      ShardMap::Make(results.front().shape(), ShardingOf(root), counts.partitions);
  if (!map.ok()) return fail(map.status());
  std::vector<Literal> joined;
  const auto partitions = static_cast<size_t>(counts.partitions);
  for (size_t r = 0; r < static_cast<size_t>(counts.replicas); ++r) {
    absl::StatusOr<Literal> whole = map->Join(results.subspan(r * partitions, partitions));
    if (!whole.ok()) return fail(whole.status());
    joined.push_back(*std::move(whole));
  }
  return joined;
}

}  // namespace hlo::tools
