// How many participants run a program.
#include <fmt/format.h>

#include "ir/participant_groups.h"
#include "support/checked_math.h"
#include "support/count_text.h"
#include "tools/run_program.h"

namespace hlo::tools {
namespace {

// "8 partitions: --partitions=8", of what is more than one.
std::string NeedText(const DeviceCounts& counts) {
  const std::string replicas = CountText(counts.replicas, "replica");
  const std::string partitions = CountText(counts.partitions, "partition");
  if (counts.partitions == 1) return fmt::format("{}: --replicas={}", replicas, counts.replicas);
  if (counts.replicas == 1)
    return fmt::format("{}: --partitions={}", partitions, counts.partitions);
  return fmt::format("{} of {}: --replicas={} --partitions={}", replicas, partitions,
                     counts.replicas, counts.partitions);
}

int64_t Product(const DeviceCounts& counts) {
  return CheckedMul(counts.replicas, counts.partitions).value_or(INT64_MAX);
}

// A collective whose group is everybody, however many these are.
const Instruction* FindOpenGroup(const Module& module) {
  for (const Instruction& instruction : module.instructions()) {
    if (FindAttributeUse(instruction.opcode, Attr::kReplicaGroups) == nullptr) continue;
    if (!HasGroups(instruction.Get<Attr::kReplicaGroups>())) return &instruction;
  }
  return nullptr;
}

}  // namespace

// "`y` needs 8 partitions: --partitions=8", when more are named than options let run.
std::string ProgramRunner::LackText(const Module& module, const DeviceCounts& counts) const {
  if (!options_.devices.replicas && !options_.devices.partitions) return "";
  const ParticipantNeeds needs = FindParticipantNeeds(module, {});
  const DeviceCounts header = DeviceCountsOf(module, {});
  const bool is_lack = Product(needs.counts) > Product(counts) && needs.reason.valid() &&
                       header.replicas == 1 && header.partitions == 1;
  if (!is_lack) return "";
  return fmt::format("`{}` needs {}", module.instruction(needs.reason).name,
                     NeedText(needs.counts));
}

// A count of 1 in the header is what everybody writes who has not thought of it.
std::optional<DeviceCounts> ProgramRunner::CountParticipants(const Module& module,
                                                             DiagnosticSink& sink) {
  const DeviceOptions& given = options_.devices;
  const DeviceCounts header = DeviceCountsOf(module, {});
  KnownCounts known = {given.replicas, given.partitions};
  if (!known.replicas && header.replicas > 1) known.replicas = header.replicas;
  if (!known.partitions && header.partitions > 1) known.partitions = header.partitions;
  const ParticipantNeeds needs = FindParticipantNeeds(module, known);
  const bool wants_shards = options_.input.are_cut || options_.joins_results;
  if (!needs.has_participants && !given.replicas && !given.partitions && !wants_shards) {
    return DeviceCounts();
  }
  if (Product(needs.counts) > ReplicaRun::kMaxParticipants) {
    return sink.Error(Rule::kRunFailed, module.name_range(),
                      "{} replicas of {} partitions are more than {} participants",
                      needs.counts.replicas, needs.counts.partitions, ReplicaRun::kMaxParticipants);
  }
  if (const std::string lack = LackText(module, needs.counts); !lack.empty()) {
    session_.Note(lack);
  }
  if (needs.reason.valid()) {
    session_.Note(
        fmt::format("{} {}, as `{}` names them; --replicas and --partitions say otherwise",
                    CountText(needs.counts.replicas, "replica"),
                    "of " + CountText(needs.counts.partitions, "partition"),
                    module.instruction(needs.reason).name));
  } else if (Product(needs.counts) == 1 && !given.replicas && !given.partitions) {
    NoteOpenGroup(module);
  }
  return needs.counts;
}

void ProgramRunner::NoteOpenGroup(const Module& module) {
  const Instruction* open = FindOpenGroup(module);
  if (open == nullptr) return;
  const std::optional<GroupMode> mode = GroupModeOf(OpView(module, *open));
  const bool is_of_partitions = mode && *mode == GroupMode::kCrossPartition;
  session_.Note(fmt::format("`{}` joins all {}, and one device runs: --{}=N says how many do",
                            open->name, is_of_partitions ? "partitions" : "replicas",
                            is_of_partitions ? "partitions" : "replicas"));
}

}  // namespace hlo::tools
