// What --profile and --trace-out show of several participants together.
#include <fmt/format.h>

#include "support/write_file.h"
#include "tools/run_program.h"

namespace hlo::tools {
namespace {

void AddTraffic(std::span<const CollectiveTraffic> traffic, PacketWriter& writer) {
  writer.Add(traffic.size());
  for (const CollectiveTraffic& one : traffic) writer.Add(one);
}

std::vector<CollectiveTraffic> TakeTraffic(PacketReader& reader) {
  std::vector<CollectiveTraffic> traffic(reader.Take<size_t>());
  for (CollectiveTraffic& one : traffic) one = reader.Take<CollectiveTraffic>();
  return traffic;
}

}  // namespace

// The bytes of each collective, by participant.
void ProgramRunner::ReportTraffic(const Module& module, const ParticipantSetup& setup,
                                  const ReplicaRun& run) {
  std::vector<std::vector<CollectiveTraffic>> all;
  for (const Inspection& inspection : setup.inspections) {
    all.push_back(inspection.profiler()->traffic());
  }
  if (ProcessGroup* group = processes_.group()) {
    std::vector<ProcessGroup::Incoming> others = group->Gather([&](PacketWriter& writer) {
      writer.Add(all.size());
      for (const auto& traffic : all) AddTraffic(traffic, writer);
    });
    all.clear();
    for (ProcessGroup::Incoming& incoming : others) {
      for (auto count = incoming.reader().Take<size_t>(); count > 0; --count) {
        all.push_back(TakeTraffic(incoming.reader()));
      }
    }
  }
  if (!processes_.is_first()) return;
  const std::string text = TrafficText(module, run.counts(), all);
  if (!text.empty()) session_.Write("\n" + text);
  const TeamCounts& moved = run.team_counts();
  if (moved.reduced + moved.gathered + moved.broadcast == 0) return;
  session_.Write(
      fmt::format("moved by MPI with the first process: {} reduced, {} gathered, {} broadcast\n",
                  moved.reduced, moved.gathered, moved.broadcast));
}

// One file, with a row for each participant. The clock of each process begins with its first step.
void ProgramRunner::WriteJoinedTrace(const ParticipantSetup& setup, const ReplicaRun& run) {
  Profiler::Clock::time_point first = Profiler::Clock::time_point::max();
  for (const Inspection& inspection : setup.inspections) {
    if (inspection.profiler()->has_steps()) {
      first = std::min(first, inspection.profiler()->first_step());
    }
  }
  std::string events;
  for (size_t i = 0; i < setup.inspections.size(); ++i) {
    const ParticipantId id = run.local().first + static_cast<ParticipantId>(i);
    events += setup.inspections[i].profiler()->ChromeEvents(
        {id + 1, ParticipantText(id, run.counts())}, first);
  }
  if (ProcessGroup* group = processes_.group()) {
    std::vector<ProcessGroup::Incoming> others =
        group->Gather([&](PacketWriter& writer) { writer.AddText(events); });
    events.clear();
    for (ProcessGroup::Incoming& incoming : others) events += incoming.reader().TakeText();
  }
  if (!processes_.is_first()) return;
  const absl::Status written =
      WriteFileAtomically(options_.inspection.profile_out, ChromeTrace(events));
  if (!written.ok()) session_.ReportEnvironment(written);
}

}  // namespace hlo::tools
