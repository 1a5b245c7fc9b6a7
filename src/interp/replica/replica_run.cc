#include "interp/replica/replica_run.h"

#include <fmt/format.h>

#include "support/status_macros.h"

namespace hlo {

ReplicaRun::ReplicaRun(const Plan& plan, const DeviceCounts& counts)
    : plan_(plan),
      devices_(static_cast<size_t>(counts.replicas * counts.partitions)),
      scheduler_(counts.replicas * counts.partitions),
      mesh_(*plan.module, counts, scheduler_, [this] {
        for (DeviceContext& device : devices_) device.Interrupt();
      }) {
  for (ParticipantId id = 0; id < participant_count(); ++id) {
    device(id).set_ids(ReplicaOf(id, counts), PartitionOf(id, counts));
    device(id).set_transport(&mesh_, id);
  }
}

absl::Status ReplicaRun::Start(std::span<StepObserver* const> observers) {
  for (ParticipantId id = 0; id < participant_count(); ++id) {
    StepObserver* observer = observers.empty() ? nullptr : observers[static_cast<size_t>(id)];
    HLO_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                         Executor::Create(plan_, device(id), observer));
    executors_.push_back(std::move(executor));
  }
  return absl::OkStatus();
}

void ReplicaRun::RunParticipant(ParticipantId id, std::span<const Literal* const> arguments) {
  Executor& executor = *executors_[static_cast<size_t>(id)];
  absl::Status status = executor.RunOn(arguments);
  if (status.ok()) {
    mesh_.Finish(id);
  } else {
    mesh_.Fail(id, executor.stopped_at(), std::move(status));
  }
}

void ReplicaRun::LookAround() {
  if (device(0).is_interrupted()) mesh_.Stop(absl::CancelledError("interrupted"));
  const int64_t progress = mesh_.progress();
  const auto now = std::chrono::steady_clock::now();
  if (progress != last_progress_) {
    last_progress_ = progress;
    progress_time_ = now;
  }
  const std::chrono::duration<double> idle = now - progress_time_;
  if (timeout_ > 0 && idle.count() > timeout_) {
    mesh_.StopWaiting(fmt::format("nobody has come for {} s", timeout_));
  }
}

// An interrupt comes from a signal handler, which can do no more than set a flag: the one who waits
// for the participants looks at it now and then, for those of them that wait as well.
absl::Status ReplicaRun::Run(std::span<const std::vector<const Literal*>> arguments) {
  mesh_.Begin();
  progress_time_ = std::chrono::steady_clock::now();
  const absl::Status scheduled = scheduler_.Run(
      [&](int64_t id) { RunParticipant(id, arguments[static_cast<size_t>(id)]); },
      [this] { LookAround(); },
      [this] {
        mesh_.Stop(absl::ResourceExhaustedError(fmt::format(
            "the system has no threads or stacks for {} participants", participant_count())));
      });
  if (!scheduled.ok()) return scheduled;
  if (failure()) {
    for (ParticipantId id : failure()->busy) {
      const InstructionId at = executors_[static_cast<size_t>(id)]->stopped_at();
      if (!at.valid()) continue;
      mesh_.AddNote({at, fmt::format("{} was at `{}`", ParticipantText(id, counts()),
                                     plan_.module->instruction(at).name)});
    }
  }
  return failure() ? failure()->status : absl::OkStatus();
}

}  // namespace hlo
