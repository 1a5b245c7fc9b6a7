// Runs one plan on several participants, in one process or spread over several.
#ifndef HLOKIT_INTERP_REPLICA_REPLICA_RUN_H_
#define HLOKIT_INTERP_REPLICA_REPLICA_RUN_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/executor.h"
#include "interp/replica/mesh.h"

namespace hlo {

class ReplicaRun {
 public:
  static constexpr int64_t kMaxParticipants = 4096;

  // `plan` must outlive the run, and so must `processes`: those that the participants are spread
  // over, each with the same plan; null: this one has all. Devices are to be prepared before Start.
  ReplicaRun(const Plan& plan, const DeviceCounts& counts, ProcessGroup* processes = nullptr);

  int64_t participant_count() const { return mesh_.participant_count(); }
  const DeviceCounts& counts() const { return mesh_.counts(); }
  // The participants of this process: the only ones that have devices and results here.
  const ParticipantRange& local() const { return mesh_.local(); }
  DeviceContext& device(ParticipantId id) { return devices_[local().IndexOf(id)]; }

  // Participants that wait while nobody comes, sends or ends for so many seconds end the run. As
  // NoteWaiting, for the first process to see to; without either they wait as long as somebody
  // runs.
  void set_timeout(double seconds) { timeout_ = seconds; }
  // The first time that they wait so long `note` is called with who waits for whom, and where the
  // others are, on the thread that runs the participants; the run goes on.
  using WaitingNote = std::function<void(const MeshFailure&)>;
  void NoteWaiting(double seconds, WaitingNote note) {
    timeout_ = seconds;
    waiting_note_ = std::move(note);
  }

  // Takes everybody's memory. `observers` are by participant of this process, or none; null: nobody
  // looks. Fails with kResourceExhausted.
  absl::Status Start(std::span<StepObserver* const> observers = {});

  // Runs the program on the arguments of this process's participants, which stay alive until
  // results are taken. When the first device here is interrupted, all are. Fails with what
  // failure() tells more of.
  absl::Status Run(std::span<const std::vector<const Literal*>> arguments);

  // Where a participant of this process is, for those who look from another thread after Start.
  RunPosition position(ParticipantId id) const {
    return executors_[local().IndexOf(id)]->position();
  }

  // What ended the last run early, and where. Notes are in process 0.
  const std::optional<MeshFailure>& failure() const { return mesh_.failure(); }
  const std::vector<MeshFailure::Note>& notes() const { return mesh_.notes(); }

  // How often this process has moved data together with others.
  const TeamCounts& team_counts() const { return mesh_.team_counts(); }

  // The run ended because another process is gone: nothing can be done together any more.
  bool has_lost_process() const { return mesh_.has_lost_process(); }

  // A copy of what a participant of this process computed.
  absl::StatusOr<Literal> Result(ParticipantId id) const {
    return executors_[local().IndexOf(id)]->Result();
  }

 private:
  std::chrono::microseconds LookAround();
  void RunParticipant(ParticipantId id, std::span<const Literal* const> arguments);
  void EndLocal();
  void WatchWaiting();
  void AddBusy(MeshFailure& report, std::string_view verb,
               const std::function<InstructionId(ParticipantId)>& where) const;
  InstructionId StoppedAt(ParticipantId id) const;

  const Plan& plan_;
  ProcessGroup* const processes_;
  ParticipantScheduler scheduler_;
  std::deque<DeviceContext> devices_;  // of this process, as the executors
  DeviceMesh mesh_;
  std::vector<std::unique_ptr<Executor>> executors_;
  double timeout_ = 0;        // 0: none
  WaitingNote waiting_note_;  // null: the run ends
  int64_t last_progress_ = 0;
  std::chrono::steady_clock::time_point progress_time_;
  Patience patience_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_REPLICA_RUN_H_
