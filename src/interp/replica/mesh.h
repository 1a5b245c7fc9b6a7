// The participants of a run: where they meet, what they send each other, and who waits for whom.
// All waiting is here.
//
// Every change of who runs and who waits is made under one lock, so the moment in which nobody runs
// any more is known exactly: then either members that wait in different branches of a conditional
// can meet (semantics.md 14.6), or nothing will ever happen again, which is reported.
//
// Participants may be spread over several processes, with a mesh in each. What a member brings to a
// meeting then goes to all processes that have members of its group, and each does the work of its
// own members, with the same operands in the same order. Large operands go there together, with the
// means of what joins the processes (mesh_teams.cc). Process 0 knows from the others' reports when
// nobody runs anywhere (mesh_processes.cc).
#ifndef HLOKIT_INTERP_REPLICA_MESH_H_
#define HLOKIT_INTERP_REPLICA_MESH_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
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
#include "interp/replica/process_group.h"
#include "interp/replica/scheduler.h"
#include "ir/module.h"

namespace hlo {

// Why a run of several participants ended early.
struct MeshFailure {
  struct Note {
    InstructionId at;
    std::string text;
  };

  MeshFailure() = default;
  MeshFailure(std::optional<ParticipantId> participant, InstructionId at, absl::Status status)
      : participant(participant), at(at), status(std::move(status)) {}

  std::optional<ParticipantId> participant;  // that failed; nothing: not one alone
  InstructionId at;
  absl::Status status;  // kDeadlineExceeded: participants wait for what does not come
  std::vector<Note> notes;
  // Those that ran when somebody waited too long for them.
  std::vector<ParticipantId> busy;
};

// How often a process has moved data together with others, by what that was (process_link.h).
struct TeamCounts {
  int64_t reduced = 0;
  int64_t gathered = 0;
  int64_t broadcast = 0;
};

class DeviceMesh final : public Transport {
 public:
  // How the mesh reaches participants of this process that do not wait here; from any thread.
  struct Runners {
    std::function<void()> stop;                         // have to stop soon
    std::function<InstructionId(ParticipantId)> where;  // what one runs, or has run last
  };

  // `processes` are those that have the participants; null: all are in this one. What is referred
  // to must outlive the mesh; the scheduler is for this process's block.
  DeviceMesh(const Module& module, const DeviceCounts& counts, ParticipantScheduler& scheduler,
             ProcessGroup* processes, Runners runners);
  ~DeviceMesh() override;

  int64_t participant_count() const { return counts_.replicas * counts_.partitions; }
  // The participants of this process.
  const ParticipantRange& local() const { return local_; }

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
  // Who waits for whom, and those who run; nothing: nobody waits, or the run is over. In process 0.
  std::optional<MeshFailure> FindWaiting(std::string_view why);
  // Ends the run with that.
  void StopWaiting(std::string_view why);
  // What a participant runs, or has run last; of other processes what they have reported last.
  InstructionId RunningAt(ParticipantId id);
  // What failure() tells, for those who know more of it.
  MeshFailure& mutable_failure() { return *failure_; }

  // What ended the run; nothing: it went to its end. Call when all participants are back.
  const std::optional<MeshFailure>& failure() const { return failure_; }
  // What was odd and yet went well.
  const std::vector<MeshFailure::Note>& notes() const { return notes_; }

  // --- Several processes: for the thread that began the run (mesh_processes.cc)

  // Finds the teams of all collectives, once and before the run begins; all processes do.
  void FindTeams();
  const TeamCounts& team_counts() const { return team_counts_; }
  // Takes what has come from other processes and tells them what they have to know. Returns whether
  // anything has come, or is being moved.
  bool Exchange();
  // All of this process are back, and were last at `stops`.
  void EndLocal(std::vector<InstructionId> stops);
  // Everybody is back everywhere, or will never be.
  bool IsEverybodyBack();
  // A process is gone, and this is why.
  bool has_lost_process() const { return lost_process_ >= 0; }
  // Where everybody was last, by participant: after that, in process 0.
  const std::vector<InstructionId>& stops() const { return stops_; }

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
  struct Place;
  struct Arrival;
  struct Carriage;
  struct RemoteOperands;
  struct Go;
  struct Gathering;
  struct Queue;
  struct Member;
  struct Peer;
  using Lock = std::unique_lock<std::mutex>;
  // Channel, opcode and instruction (one or the other is the same for all), members.
  using SiteKey = std::tuple<int64_t, Opcode, InstructionId, std::vector<ParticipantId>>;
  using QueueKey =
      std::tuple<MessageRoute::Kind, int64_t, InstructionId, ParticipantId, ParticipantId>;

  // --- Groups
  IdGroups Replicas() const;
  absl::StatusOr<Table*> FindTable(const OpView& op);
  absl::StatusOr<std::unique_ptr<Table>> MakeTable(const OpView& op);
  std::unique_ptr<Site> MakeSite(int64_t channel, std::vector<ParticipantId> members) const;
  OpView OpOf(InstructionId id) const;
  // Where `id` meets others at the instruction `at`; no site: nowhere.
  Place PlaceOf(ParticipantId id, InstructionId at);

  // --- Meetings
  absl::Status FailMeeting(Gathering& gathering, size_t position, absl::Status status);
  absl::Status DoOwn(const std::shared_ptr<Gathering>& gathering, size_t position,
                     MeetingWork work);
  absl::Status DoAll(Gathering& gathering, MeetingWork work);
  absl::Status AwaitGathering(ParticipantId me, std::shared_ptr<Gathering> gathering,
                              size_t position, MeetingWork work);
  void SetPhase(Gathering& gathering, uint32_t phase);

  // --- Messages
  Queue& QueueOf(const MessageRoute& route);
  absl::Status AwaitMessage(Lock& lock, Evaluation& e, ParticipantId me, const MessageRoute& route,
                            int64_t ticket, bool is_receiver);
  void WakeWaiter(ParticipantId id, const Queue& queue, int64_t ticket, bool is_receiver);

  // --- All under the lock
  Member& MemberOf(ParticipantId id);
  std::span<Member> LocalMembers();
  std::shared_ptr<Gathering> GatheringFor(Site& site, size_t position);
  bool Agrees(const Gathering& gathering, const Arrival& arrival, size_t position);
  bool Arrive(Gathering& gathering, size_t position, Arrival arrival);
  void Wake(Member& member);
  void Release(Gathering& gathering);
  void BeginWork(const std::shared_ptr<Gathering>& gathering);
  void NobodyRuns();
  void NobodyRunsAnywhere();
  Site* WaitsAt(const Member& member);
  bool MayJoin(const Member& member, const Member& first, const Site& site);
  bool JoinGatherings();
  void Join(std::span<const ParticipantId> ids, std::span<const InstructionId> at);
  uint64_t SignatureOf(const Member& member) const;
  std::optional<MeshFailure> WaitingUnderLock(std::string_view why);
  MeshFailure DescribeWaiting(std::string_view why);
  void EndRun(MeshFailure failure, bool tells_others = true);
  std::string Names(std::span<const ParticipantId> ids) const;
  std::string WaitText(const Member& member);
  std::string FinishedText(std::span<const ParticipantId> finished, const Member* first);
  bool IsOver() const { return failure_.has_value(); }
  absl::Status Stopped() const;

  // --- Other processes
  bool IsHere(ParticipantId id) const { return local_.Contains(id); }
  int64_t RankOf(ParticipantId id) const;
  void Post(int64_t rank, const SharedPacket& packet);
  SharedPacket PackArrival(const Evaluation& e, ParticipantId me, const Carriage& carriage) const;
  SharedPacket PackMessage(const MessageRoute& route, const Message& message) const;
  SharedPacket PackAnnouncement(const MessageRoute& route) const;
  void PackRoute(const MessageRoute& route, PacketWriter& writer) const;
  MessageRoute TakeRoute(PacketReader& reader) const;
  void Take(ProcessGroup::Incoming incoming);
  void TakeArrival(ProcessGroup::Incoming& incoming);
  void TakeMessage(PacketReader& reader);
  void TakeAnnouncement(PacketReader& reader);
  void TakeJoin(PacketReader& reader);
  void TakeReport(int64_t from, PacketReader& reader);
  void TakeFailure(PacketReader& reader);
  void TakeEnd(int64_t from, PacketReader& reader);
  void PostJoin(const Site& site, std::span<const InstructionId> at);
  void PostFailure();
  void PostReport();
  void TellOthers();
  bool IsQuietEverywhere() const;
  void CheckSignsOfLife();

  // --- Teams
  Carriage CarriageOf(Evaluation& e, const Site& site) const;
  void Carry(const std::shared_ptr<Gathering>& gathering);
  void AwaitTurn(const std::shared_ptr<Gathering>& gathering);
  void TakeGo(PacketReader& reader);
  SharedPacket PackGo(const Gathering& gathering, const TeamJob& job) const;
  std::shared_ptr<TeamJob> MakeJob(const Gathering& gathering) const;
  void FillJob(const Gathering& gathering, TeamJob& job) const;
  std::shared_ptr<Gathering> TakeAwaiting(const Go& go);
  void StartReady();
  void StartFollowing(std::deque<Go>& gos);
  void CompleteJobs();
  void Complete(Gathering& gathering, const std::shared_ptr<TeamJob>& job);

  const Module& module_;
  const DeviceCounts counts_;
  ParticipantScheduler& scheduler_;
  ProcessGroup* const processes_;
  const ParticipantRange local_;
  const Runners runners_;
  // Of send and recv between participants: those that have both. What goes out on another channel
  // is for a recv on a third one (semantics.md 14.4).
  std::set<int64_t> whole_channels_;

  std::mutex tables_mutex_;
  std::vector<std::unique_ptr<Table>> tables_;  // by instruction
  std::vector<std::unique_ptr<std::vector<ParticipantPair>>> pairs_;
  std::map<SiteKey, std::unique_ptr<Site>> sites_;

  std::mutex mutex_;
  // By participant. In process 0 those of other processes are what these have reported last.
  std::vector<Member> members_;
  std::map<QueueKey, std::unique_ptr<Queue>> queues_;
  int64_t running_count_ = 0;  // of this process
  int64_t progress_ = 0;
  std::optional<MeshFailure> failure_;
  std::vector<MeshFailure::Note> notes_;

  ProcessGroup::Phase phase_;
  std::vector<Peer> peers_;  // by rank
  std::vector<InstructionId> stops_;
  int64_t lost_process_ = -1;  // below 0: none

  // Meetings whose operands are moved: all, under the lock; those whose turn this process says, and
  // those whose turn it is to hear, under the lock too.
  std::vector<std::shared_ptr<Gathering>> moving_;
  std::vector<std::shared_ptr<Gathering>> ready_;
  std::vector<std::shared_ptr<Gathering>> awaiting_;
  // For the thread that began the run alone: whose turn it is, by team, and what has begun; null:
  // the run was over.
  std::map<int64_t, std::deque<Go>> gos_;
  std::map<std::shared_ptr<TeamJob>, std::shared_ptr<Gathering>> jobs_;
  TeamCounts team_counts_;
  bool has_teams_ = false;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_MESH_H_
