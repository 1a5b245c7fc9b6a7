// Runs one plan on several participants in one process.
#ifndef HLOKIT_INTERP_REPLICA_REPLICA_RUN_H_
#define HLOKIT_INTERP_REPLICA_REPLICA_RUN_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/executor.h"
#include "interp/replica/mesh.h"

namespace hlo {

class ReplicaRun {
 public:
  static constexpr int64_t kMaxParticipants = 4096;

  // `plan` must outlive the run. Devices are to be prepared before Start.
  ReplicaRun(const Plan& plan, const DeviceCounts& counts);

  int64_t participant_count() const { return static_cast<int64_t>(devices_.size()); }
  const DeviceCounts& counts() const { return mesh_.counts(); }
  DeviceContext& device(ParticipantId id) { return devices_[static_cast<size_t>(id)]; }

  // Participants that wait while nobody comes, sends or ends for so many seconds end the run; 0:
  // they wait as long as somebody runs.
  void set_timeout(double seconds) { timeout_ = seconds; }

  // Takes everybody's memory. `observers` are by participant, or none; null: nobody looks. Fails
  // with kResourceExhausted.
  absl::Status Start(std::span<StepObserver* const> observers = {});

  // Runs the program on everybody's arguments, which stay alive until results are taken. When
  // device 0 is interrupted, all are. Fails with what failure() tells more of.
  absl::Status Run(std::span<const std::vector<const Literal*>> arguments);

  // What ended the last run early, and where.
  const std::optional<MeshFailure>& failure() const { return mesh_.failure(); }
  const std::vector<MeshFailure::Note>& notes() const { return mesh_.notes(); }

  // A copy of what a participant computed.
  absl::StatusOr<Literal> Result(ParticipantId id) const {
    return executors_[static_cast<size_t>(id)]->Result();
  }

 private:
  void LookAround();
  void RunParticipant(ParticipantId id, std::span<const Literal* const> arguments);

  const Plan& plan_;
  std::deque<DeviceContext> devices_;
  ParticipantScheduler scheduler_;
  DeviceMesh mesh_;
  std::vector<std::unique_ptr<Executor>> executors_;
  double timeout_ = 0;
  int64_t last_progress_ = 0;
  std::chrono::steady_clock::time_point progress_time_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_REPLICA_RUN_H_
