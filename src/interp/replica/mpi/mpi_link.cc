// Packets over MPI. The module is loaded on demand: a run without MPI does not pay for its start.
//
// Teams have communicators of their own, and their jobs are non-blocking collectives: whoever waits
// for one still sends and receives packets, so that nobody is taken for dead.
//
// One thread makes all calls. A packet is one message, or several where it is larger than MPI's
// counts allow: their tag says whether more follow. MPI keeps the order of messages between two
// processes, which is all the order that is promised.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <deque>
#include <list>
#include <mutex>
#include <utility>

#include "interp/replica/process_link.h"

namespace hlo {
namespace {

constexpr size_t kMaxMessageByteSize = size_t{1} << 30;
constexpr int kLast = 0;
constexpr int kMoreFollows = 1;

// Communicators are scarce.
constexpr size_t kMaxTeams = 64;

MPI_Datatype TypeOf(TeamJob::Number number) {
  switch (number) {
    case TeamJob::Number::kS8:
      return MPI_INT8_T;
    case TeamJob::Number::kS16:
      return MPI_INT16_T;
    case TeamJob::Number::kS32:
      return MPI_INT32_T;
    case TeamJob::Number::kS64:
      return MPI_INT64_T;
    case TeamJob::Number::kU8:
      return MPI_UINT8_T;
    case TeamJob::Number::kU16:
      return MPI_UINT16_T;
    case TeamJob::Number::kU32:
      return MPI_UINT32_T;
    case TeamJob::Number::kU64:
      return MPI_UINT64_T;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Op OperationOf(TeamJob::Reduction reduction) {
  switch (reduction) {
    case TeamJob::Reduction::kSum:
      return MPI_SUM;
    case TeamJob::Reduction::kProduct:
      return MPI_PROD;
    case TeamJob::Reduction::kMin:
      return MPI_MIN;
    case TeamJob::Reduction::kMax:
      return MPI_MAX;
    case TeamJob::Reduction::kAnd:
      return MPI_BAND;
    case TeamJob::Reduction::kOr:
      return MPI_BOR;
    case TeamJob::Reduction::kXor:
      return MPI_BXOR;
  }
  return MPI_OP_NULL;
}

class MpiLink final : public ProcessLink {
 public:
  MpiLink() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_dup(MPI_COMM_WORLD, &quiet_comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    begun_.resize(static_cast<size_t>(size_));
    MPI_Type_contiguous(static_cast<int>(TeamJob::kUnit), MPI_BYTE, &unit_);
    MPI_Type_commit(&unit_);
  }
  ~MpiLink() override {
    while (!sending_.empty() || HasOutgoing()) MoveOutgoing();
    for (Team& team : teams_) {
      if (team.comm != MPI_COMM_NULL) MPI_Comm_free(&team.comm);
    }
    MPI_Type_free(&unit_);
    MPI_Comm_free(&quiet_comm_);
    MPI_Comm_free(&comm_);
    MPI_Finalize();
  }

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  void Send(int64_t to, SharedPacket packet) override {
    std::lock_guard lock(mutex_);
    outgoing_.push_back({static_cast<int>(to), std::move(packet)});
  }

  std::optional<Arrived> Receive() override {
    MoveOutgoing();
    for (;;) {
      int has_message = 0;
      MPI_Message message;
      MPI_Status status;
      MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &has_message, &message, &status);
      if (has_message == 0) return std::nullopt;
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      PacketBytes& bytes = begun_[static_cast<size_t>(status.MPI_SOURCE)];
      const size_t at = bytes.size();
      bytes.resize(at + static_cast<size_t>(count));
      MPI_Mrecv(bytes.data() + at, count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      if (status.MPI_TAG == kLast) return Arrived{status.MPI_SOURCE, std::exchange(bytes, {})};
    }
  }

  // Processes that are not in a team count it as well, so that all have the same number of them.
  int64_t FindTeam(std::span<const int64_t> ranks) override {
    const std::vector<int> members(ranks.begin(), ranks.end());
    const auto found = std::ranges::find(teams_, members, &Team::ranks);
    if (found != teams_.end()) return found - teams_.begin();
    if (teams_.size() == kMaxTeams) return -1;
    Team& team = teams_.emplace_back(Team{members, MPI_COMM_NULL});
    const auto number = static_cast<int>(teams_.size() - 1);
    if (std::ranges::find(members, rank_) == members.end()) return number;
    MoveOutgoing();  // what the others wait for before they come here
    MPI_Group all, group;
    MPI_Comm_group(quiet_comm_, &all);
    MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &group);
    MPI_Comm_create_group(quiet_comm_, group, number, &team.comm);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    return number;
  }

  void Start(std::shared_ptr<TeamJob> job) override {
    Working& working = working_.emplace_back(Working{MPI_REQUEST_NULL, std::move(job), {}, {}});
    TeamJob& begun = *working.job;
    MPI_Comm comm = teams_[static_cast<size_t>(begun.team)].comm;
    switch (begun.kind) {
      case TeamJob::Kind::kReduce:
        MPI_Iallreduce(MPI_IN_PLACE, begun.bytes.get(), static_cast<int>(begun.count),
                       TypeOf(begun.number), OperationOf(begun.reduction), comm, &working.request);
        return;
      case TeamJob::Kind::kGather: {
        const Piece piece = PieceOf(begun.UnitStart(begun.unit_counts.size()));
        for (size_t i = 0; i < begun.unit_counts.size(); ++i) {
          working.counts.push_back(static_cast<int>(begun.unit_counts[i] * piece.count));
          working.starts.push_back(static_cast<int>(begun.UnitStart(i) * piece.count));
        }
        MPI_Iallgatherv(MPI_IN_PLACE, 0, piece.type, begun.bytes.get(), working.counts.data(),
                        working.starts.data(), piece.type, comm, &working.request);
        return;
      }
      case TeamJob::Kind::kBroadcast: {
        const int64_t units = begun.unit_counts[static_cast<size_t>(begun.root)];
        const Piece piece = PieceOf(units);
        MPI_Ibcast(begun.bytes.get(), static_cast<int>(units * piece.count), piece.type,
                   static_cast<int>(begun.root), comm, &working.request);
        return;
      }
    }
  }

  std::shared_ptr<TeamJob> NextDone() override {
    for (auto next = working_.begin(); next != working_.end(); ++next) {
      int is_done = 0;
      MPI_Test(&next->request, &is_done, MPI_STATUS_IGNORE);
      if (is_done == 0) continue;
      std::shared_ptr<TeamJob> job = std::move(next->job);
      working_.erase(next);
      return job;
    }
    return nullptr;
  }

  void Abort(int exit_code) override { MPI_Abort(comm_, exit_code); }

 private:
  struct Outgoing {
    int to;
    SharedPacket packet;
  };
  struct Sending {
    MPI_Request request;
    SharedPacket packet;
  };

  struct Team {
    std::vector<int> ranks;
    MPI_Comm comm;  // MPI_COMM_NULL: this process is not in it
  };
  // What MPI reads while it works stays where it is.
  struct Working {
    MPI_Request request;
    std::shared_ptr<TeamJob> job;
    std::vector<int> counts;
    std::vector<int> starts;
  };

  // A unit as bytes, which MPI moves best, or where there are too many to count as one piece.
  struct Piece {
    MPI_Datatype type;
    int64_t count;
  };
  Piece PieceOf(int64_t all_units) const {
    constexpr auto kUnit = static_cast<int64_t>(TeamJob::kUnit);
    if (all_units <= INT_MAX / kUnit) return {MPI_BYTE, kUnit};
    return {unit_, 1};
  }

  bool HasOutgoing() {
    std::lock_guard lock(mutex_);
    return !outgoing_.empty();
  }

  void MoveOutgoing() {
    std::deque<Outgoing> outgoing;
    {
      std::lock_guard lock(mutex_);
      outgoing.swap(outgoing_);
    }
    for (const Outgoing& next : outgoing) Begin(next);
    std::erase_if(sending_, [](Sending& sending) {
      int is_done = 0;
      MPI_Test(&sending.request, &is_done, MPI_STATUS_IGNORE);
      return is_done != 0;
    });
  }

  void Begin(const Outgoing& next) {
    const PacketBytes& bytes = *next.packet;
    size_t at = 0;
    do {
      const size_t count = std::min(kMaxMessageByteSize, bytes.size() - at);
      Sending& sending = sending_.emplace_back(Sending{MPI_REQUEST_NULL, next.packet});
      const int tag = at + count < bytes.size() ? kMoreFollows : kLast;
      MPI_Isend(bytes.data() + at, static_cast<int>(count), MPI_BYTE, next.to, tag, comm_,
                &sending.request);
      at += count;
    } while (at < bytes.size());
  }

  MPI_Comm comm_;
  // Where nobody looks for packets: what makes a team sends messages with tags, too.
  MPI_Comm quiet_comm_;
  int rank_ = 0;
  int size_ = 1;
  std::mutex mutex_;
  std::deque<Outgoing> outgoing_;  // under `mutex_`
  std::deque<Sending> sending_;
  std::vector<PacketBytes> begun_;  // by rank: what has come of a packet
  MPI_Datatype unit_;
  std::vector<Team> teams_;
  std::list<Working> working_;
};

}  // namespace
}  // namespace hlo

extern "C" __attribute__((visibility("default"))) hlo::ProcessLink* HlokitOpenProcessLink(
    std::string* why_not) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    *why_not = "MPI does not go together with threads here";
    return nullptr;
  }
  return new hlo::MpiLink();
}
