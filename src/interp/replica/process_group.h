// The processes that work on a run together. All of them do the same phases in the same order: one
// for each run of a plan, one for each exchange between runs. A packet belongs to a phase; what is
// for a later one is kept until then.
#ifndef HLOKIT_INTERP_REPLICA_PROCESS_GROUP_H_
#define HLOKIT_INTERP_REPLICA_PROCESS_GROUP_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interp/replica/packet.h"
#include "interp/replica/participant_range.h"
#include "interp/replica/process_link.h"

namespace hlo {

// How long to rest when nothing has come: ever longer, up to a quarter of a millisecond.
class Patience {
 public:
  void Renew() { rounds_ = 0; }
  std::chrono::microseconds Next();

 private:
  int rounds_ = 0;
};

// Phases are begun, and packets taken, on the thread that made the link.
class ProcessGroup {
 public:
  explicit ProcessGroup(std::unique_ptr<ProcessLink> link) : link_(std::move(link)) {}

  int64_t rank() const { return link_->rank(); }
  int64_t size() const { return link_->size(); }
  bool is_first() const { return rank() == 0; }
  ParticipantRange LocalOf(int64_t participant_count) const {
    return BlockOf(rank(), size(), participant_count);
  }

  struct Phase {
    int64_t number = 0;
  };
  Phase BeginPhase() { return {++phase_}; }

  // The start of a packet for a phase.
  static PacketWriter NewPacket(Phase phase);
  // From any thread.
  void Post(int64_t to, SharedPacket packet) { link_->Send(to, std::move(packet)); }

  class Incoming {
   public:
    explicit Incoming(ProcessLink::Arrived arrived);
    int64_t from() const { return arrived_->from; }
    // Behind the phase.
    PacketReader& reader() { return reader_; }
    // Keeps what was read from it alive.
    std::shared_ptr<const void> storage() const { return arrived_; }
    int64_t phase() const { return phase_; }

   private:
    std::shared_ptr<const ProcessLink::Arrived> arrived_;
    PacketReader reader_;
    int64_t phase_;
  };
  // The next packet of a phase; nothing has come: nothing.
  std::optional<Incoming> Poll(Phase phase);

  // What `add` puts into a packet in each process, by rank, in process 0; elsewhere nothing. Waits.
  template <typename Add>
  std::vector<Incoming> Gather(Add add) {
    const Phase phase = BeginPhase();
    PacketWriter writer = NewPacket(phase);
    add(writer);
    return GatherPackets(phase, writer.Finish());
  }
  // What `add` puts into a packet in process 0, in every process. Waits.
  template <typename Add>
  Incoming Spread(Add add) {
    const Phase phase = BeginPhase();
    PacketWriter writer = NewPacket(phase);
    if (is_first()) add(writer);
    return SpreadPacket(phase, writer.Finish());
  }

  // As of the link.
  int64_t FindTeam(std::span<const int64_t> ranks) { return link_->FindTeam(ranks); }
  void Start(std::shared_ptr<TeamJob> job) { link_->Start(std::move(job)); }
  std::shared_ptr<TeamJob> NextDone() { return link_->NextDone(); }

  void Abort(int exit_code) { link_->Abort(exit_code); }

 private:
  std::vector<Incoming> GatherPackets(Phase phase, SharedPacket own);
  Incoming SpreadPacket(Phase phase, SharedPacket own);
  Incoming Await(Phase phase);

  std::unique_ptr<ProcessLink> link_;
  int64_t phase_ = 0;
  std::map<int64_t, std::deque<Incoming>> early_;  // by phase
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_PROCESS_GROUP_H_
