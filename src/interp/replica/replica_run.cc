// The thread that calls Run looks around while participants run on others: it exchanges packets
// with other processes, passes interrupts on, watches who waits for too long. However a participant
// ends, short of memory too, the mesh is told, and a failure ends the run for all. A process stays
// until the participants of all processes are back.
#include "interp/replica/replica_run.h"

#include <new>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "support/status_macros.h"

namespace hlo {
namespace {

int64_t LocalCount(const DeviceCounts& counts, const ProcessGroup* processes) {
  const int64_t count = counts.replicas * counts.partitions;
  return processes == nullptr ? count : processes->LocalOf(count).count;
}

}  // namespace

ReplicaRun::ReplicaRun(const Plan& plan, const DeviceCounts& counts, ProcessGroup* processes)
    : plan_(plan),
      processes_(processes),
      scheduler_(LocalCount(counts, processes)),
      devices_(static_cast<size_t>(LocalCount(counts, processes))),
      mesh_(*plan.module, counts, scheduler_, processes,
            {.stop =
                 [this] {
                   for (DeviceContext& device : devices_) device.Interrupt();
                 },
             .where =
                 [this](ParticipantId id) { return executors_[local().IndexOf(id)]->running(); }}) {
  for (ParticipantId id = local().first; id < local().end(); ++id) {
    device(id).set_ids(ReplicaOf(id, counts), PartitionOf(id, counts));
    device(id).set_transport(&mesh_, id);
  }
}

absl::Status ReplicaRun::Start(std::span<StepObserver* const> observers) {
  for (ParticipantId id = local().first; id < local().end(); ++id) {
    StepObserver* observer = observers.empty() ? nullptr : observers[local().IndexOf(id)];
    HLO_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                         Executor::Create(plan_, device(id), observer));
    executors_.push_back(std::move(executor));
  }
  return absl::OkStatus();
}

// What throws where memory is short ends the run, not the process.
void ReplicaRun::RunParticipant(ParticipantId id, std::span<const Literal* const> arguments) {
  Executor& executor = *executors_[local().IndexOf(id)];
  absl::Status status;
  try {
    status = executor.RunOn(arguments);
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("the machine has no memory left");
  }
  if (status.ok()) {
    mesh_.Finish(id);
  } else {
    mesh_.Fail(id, executor.stopped_at(), std::move(status));
  }
}

// What is done while participants run; says when to do it again.
std::chrono::microseconds ReplicaRun::LookAround() {
  constexpr std::chrono::milliseconds kInterval(20);
  if (processes_ != nullptr && mesh_.Exchange()) patience_.Renew();
  if (local().count > 0 && devices_.front().is_interrupted()) {
    mesh_.Stop(absl::CancelledError("interrupted"));
  }
  if (timeout_ > 0 && (processes_ == nullptr || processes_->is_first())) WatchWaiting();
  return processes_ == nullptr ? kInterval : patience_.Next();
}

void ReplicaRun::WatchWaiting() {
  const int64_t progress = mesh_.progress();
  const auto now = std::chrono::steady_clock::now();
  if (progress != last_progress_) {
    last_progress_ = progress;
    progress_time_ = now;
  }
  const std::chrono::duration<double> idle = now - progress_time_;
  if (idle.count() <= timeout_) return;
  const std::string why = fmt::format("nobody has come for {} s", timeout_);
  if (waiting_note_ == nullptr) return mesh_.StopWaiting(why);
  std::optional<MeshFailure> waiting = mesh_.FindWaiting(why);
  if (!waiting) return;
  AddBusy(*waiting, "is", [this](ParticipantId id) { return mesh_.RunningAt(id); });
  std::exchange(waiting_note_, nullptr)(*waiting);
  timeout_ = 0;
}

// An interrupt comes from a signal handler, which can do no more than set a flag: the one who waits
// for the participants looks at it now and then, for those of them that wait as well.
absl::Status ReplicaRun::Run(std::span<const std::vector<const Literal*>> arguments) {
  mesh_.FindTeams();
  mesh_.Begin();
  progress_time_ = std::chrono::steady_clock::now();
  const absl::Status scheduled = scheduler_.Run(
      [&](int64_t index) {
        RunParticipant(local().first + index, arguments[static_cast<size_t>(index)]);
      },
      [this] { return LookAround(); },
      [this] {
        mesh_.Stop(absl::ResourceExhaustedError(fmt::format(
            "the system has no threads or stacks for {} participants", participant_count())));
      });
  EndLocal();
  if (!scheduled.ok()) return scheduled;
  if (!failure()) return absl::OkStatus();
  // Who stopped the run from outside asks where it was.
  if (!failure()->at.valid() && !executors_.empty()) {
    mesh_.mutable_failure().at = executors_.front()->stopped_at();
  }
  AddBusy(mesh_.mutable_failure(), "was", [this](ParticipantId id) { return StoppedAt(id); });
  return failure()->status;
}

// The others may still run: they are looked after until they are back.
void ReplicaRun::EndLocal() {
  if (processes_ == nullptr) return;
  std::vector<InstructionId> stops;
  for (const auto& executor : executors_) stops.push_back(executor->stopped_at());
  mesh_.EndLocal(std::move(stops));
  while (!mesh_.IsEverybodyBack()) std::this_thread::sleep_for(LookAround());
}

InstructionId ReplicaRun::StoppedAt(ParticipantId id) const {
  if (local().Contains(id)) return executors_[local().IndexOf(id)]->stopped_at();
  return mesh_.stops().empty() ? InstructionId() : mesh_.stops()[static_cast<size_t>(id)];
}

// Where those are who ran when somebody waited too long for them.
void ReplicaRun::AddBusy(MeshFailure& report, std::string_view verb,
                         const std::function<InstructionId(ParticipantId)>& where) const {
  for (ParticipantId id : report.busy) {
    const InstructionId at = where(id);
    if (!at.valid()) continue;
    report.notes.push_back({at, fmt::format("{} {} at `{}`", ParticipantText(id, counts()), verb,
                                            plan_.module->instruction(at).name)});
  }
}

}  // namespace hlo
