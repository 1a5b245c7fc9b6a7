// The participants of a run in one process: where they meet, what they send each other, and who
// waits for whom. All waiting is here.
//
// Every change of who runs and who waits is made under one lock, so the moment in which nobody runs
// any more is known exactly: then either members that wait in different branches of a conditional
// can meet (semantics.md 14.6), or nothing will ever happen again, which is reported.
#ifndef HLOKIT_INTERP_REPLICA_MESH_H_
#define HLOKIT_INTERP_REPLICA_MESH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "interp/kernel/transport.h"
#include "interp/replica/scheduler.h"
#include "ir/module.h"

namespace hlo {

// Why a run of several participants ended early.
struct MeshFailure {
  struct Note {
    InstructionId at;
    std::string text;
  };
  std::optional<ParticipantId> participant;  // that failed; nothing: several wait for each other
  InstructionId at;
  absl::Status status;
  std::vector<Note> notes;
  // Those that ran when somebody waited too long for them.
  std::vector<ParticipantId> busy;
};

class DeviceMesh final : public Transport {
 public:
  // `stop_running` is called when the run is to end, from any thread: participants that do not wait
  // here have to stop soon. `module` and `scheduler` must outlive the mesh.
  DeviceMesh(const Module& module, const DeviceCounts& counts, ParticipantScheduler& scheduler,
             std::function<void()> stop_running);
  ~DeviceMesh() override;

  int64_t participant_count() const { return counts_.replicas * counts_.partitions; }

  // Everybody starts.
  void Begin();
  // `me` has come to the end of its program.
  void Finish(ParticipantId me);
  // `me` has failed, or was stopped because somebody else had.
  void Fail(ParticipantId me, InstructionId at, absl::Status status);
  // Ends the run from outside.
  void Stop(absl::Status status);
  // Changes whenever somebody comes to others, sends or ends.
  int64_t progress();
  // Ends the run when somebody waits, and says for whom.
  void StopWaiting(std::string_view why);
  // Adds to what failure() tells.
  void AddNote(MeshFailure::Note note) { failure_->notes.push_back(std::move(note)); }

  // What ended the run; nothing: it went to its end. Call when all participants are back.
  const std::optional<MeshFailure>& failure() const { return failure_; }
  // What was odd and yet went well.
  const std::vector<MeshFailure::Note>& notes() const { return notes_; }

  const DeviceCounts& counts() const override { return counts_; }
  absl::StatusOr<GroupPlace> FindGroup(const OpView& op, ParticipantId me) override;
  absl::StatusOr<std::span<const ParticipantPair>> FindPairs(const OpView& op) override;
  absl::Status Meet(Evaluation& e, ParticipantId me, const GroupPlace& place,
                    std::span<const MutableArrayRef> results, MeetingWork work) override;
  absl::StatusOr<int64_t> Send(Evaluation& e, const MessageRoute& route, Message message) override;
  absl::StatusOr<int64_t> Announce(Evaluation& e, const MessageRoute& route) override;
  absl::StatusOr<Message> Receive(Evaluation& e, const MessageRoute& route,
                                  int64_t ticket) override;
  absl::Status AwaitReceiver(Evaluation& e, const MessageRoute& route, int64_t ticket) override;

 private:
  struct Site;
  struct Table;
  struct Gathering;
  struct Queue;
  struct Member;
  using Lock = std::unique_lock<std::mutex>;
  // Channel, opcode and instruction (one or the other is the same for all), members.
  using SiteKey = std::tuple<int64_t, Opcode, InstructionId, std::vector<ParticipantId>>;
  using QueueKey =
      std::tuple<MessageRoute::Kind, int64_t, InstructionId, ParticipantId, ParticipantId>;

  IdGroups Replicas() const;
  absl::StatusOr<Table*> FindTable(const OpView& op);
  absl::StatusOr<std::unique_ptr<Table>> MakeTable(const OpView& op);
  absl::Status FailMeeting(Gathering& gathering, size_t position, absl::Status status);
  absl::Status DoOwn(Gathering& gathering, size_t position, MeetingWork work);
  absl::Status DoAll(Gathering& gathering, MeetingWork work);
  absl::Status AwaitGathering(ParticipantId me, std::shared_ptr<Gathering> gathering,
                              size_t position, MeetingWork work);
  void SetPhase(Gathering& gathering, uint32_t phase);

  Queue& QueueOf(const MessageRoute& route);
  absl::Status AwaitMessage(Lock& lock, Evaluation& e, ParticipantId me, const MessageRoute& route,
                            int64_t ticket, bool is_receiver);
  void WakeWaiter(ParticipantId id, const Queue& queue, int64_t ticket, bool is_receiver);

  // All under the lock.
  bool Agrees(const Gathering& gathering, Evaluation& e, size_t position);
  void Wake(Member& member);
  void Release(Gathering& gathering);
  void NobodyRuns();
  bool JoinGatherings();
  void ReportWaiting(std::string_view why);
  void EndRun(MeshFailure failure);
  std::string Names(std::span<const ParticipantId> ids) const;
  std::string WaitText(const Member& member) const;
  bool IsOver() const { return failure_.has_value(); }
  absl::Status Stopped() const;

  const Module& module_;
  const DeviceCounts counts_;
  ParticipantScheduler& scheduler_;
  const std::function<void()> stop_running_;
  // Of send and recv between participants: those that have both. What goes out on another channel
  // is for a recv on a third one (semantics.md 14.4).
  std::set<int64_t> whole_channels_;

  std::mutex tables_mutex_;
  std::vector<std::unique_ptr<Table>> tables_;  // by instruction
  std::vector<std::unique_ptr<std::vector<ParticipantPair>>> pairs_;
  std::map<SiteKey, std::unique_ptr<Site>> sites_;

  std::mutex mutex_;
  std::vector<Member> members_;
  std::map<QueueKey, std::unique_ptr<Queue>> queues_;
  int64_t running_count_ = 0;
  int64_t progress_ = 0;
  std::optional<MeshFailure> failure_;
  std::vector<MeshFailure::Note> notes_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_MESH_H_
