// Large operands of collectives in several processes. They do not travel with the news that a
// member has come: when all have come, and agree, the processes that have members move the data
// together (TeamJob), which whatever joins them can do better than anybody can with packets.
//
//   member comes ----> all know that all are there ----> first process: it is your turn (Go)
//                                                        all: begin the job, in the order of turns
//
// Two groups with members in the same processes may be complete here in one order and there in
// another; the first process of a team says in which order its jobs begin. Jobs do not wait, so
// teams do not stand in each other's way. Who is told its turn begins in any case: with whatever is
// in memory when the run is over meanwhile and nothing counts any more, or else the team would
// never be done.
//
// Sums of integers and what else does not depend on the order are reduced: each process folds for
// its own members into their results, and the team goes on with these. Floats are folded in the
// order of the group, of which reductions between processes promise nothing: their operands are
// gathered, as those of all other collectives.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "interp/replica/mesh_state.h"
#include "support/check.h"
#include "support/huge_pages.h"

namespace hlo {
namespace {

// Below so many bytes a member's operands arrive sooner with the news.
constexpr int64_t kMinCarriedByteSize = int64_t{64} << 10;
// Above so many, numbers of elements, or of units of all members, are beyond what MPI counts.
constexpr int64_t kMaxCarriedByteSize = int64_t{1} << 30;
constexpr int64_t kMaxGatheredByteSize = int64_t{1} << 36;

int64_t UnitCount(std::span<const ArrayRef> arrays) {
  constexpr auto kUnit = static_cast<int64_t>(TeamJob::kUnit);
  int64_t count = 0;
  for (const ArrayRef& array : arrays) count += (array.byte_size() + kUnit - 1) / kUnit;
  return count;
}

// Wrapped sums and products are those of unsigned numbers; a pred is a byte that is 0 or 1.
std::optional<TeamJob::Number> NumberOf(ElementType type, bool is_ordered) {
  using Number = TeamJob::Number;
  const bool is_signed = is_ordered && IsSigned(type);
  if (type != ElementType::kPred && !IsInteger(type)) return std::nullopt;
  const int width = BitWidth(type);
  if (width == 8) return is_signed ? Number::kS8 : Number::kU8;
  if (width == 16) return is_signed ? Number::kS16 : Number::kU16;
  if (width == 32) return is_signed ? Number::kS32 : Number::kU32;
  if (width == 64) return is_signed ? Number::kS64 : Number::kU64;
  return std::nullopt;
}

// Those that say the same in any order.
std::optional<TeamJob::Reduction> ReductionOf(Opcode opcode, ElementType type) {
  using Reduction = TeamJob::Reduction;
  if (opcode == Opcode::kAnd) return Reduction::kAnd;
  if (opcode == Opcode::kOr) return Reduction::kOr;
  if (opcode == Opcode::kXor) return Reduction::kXor;
  if (opcode == Opcode::kMinimum) return Reduction::kMin;
  if (opcode == Opcode::kMaximum) return Reduction::kMax;
  if (type == ElementType::kPred) return std::nullopt;
  if (opcode == Opcode::kAdd) return Reduction::kSum;
  if (opcode == Opcode::kMultiply) return Reduction::kProduct;
  return std::nullopt;
}

bool IsAllReduce(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart;
}

bool MovesOperands(Opcode opcode) {
  return IsAllReduce(opcode) || opcode == Opcode::kAllGather || opcode == Opcode::kAllGatherStart ||
         opcode == Opcode::kAllToAll || opcode == Opcode::kReduceScatter ||
         opcode == Opcode::kCollectiveBroadcast;
}

}  // namespace

// --- Teams -------------------------------------------------------------------------------------

// In the order of the text, which is the same for all.
void DeviceMesh::FindTeams() {
  if (processes_ == nullptr || std::exchange(has_teams_, true)) return;
  for (const Instruction& instruction : module_.instructions()) {
    if (!MovesOperands(instruction.opcode)) continue;
    const absl::StatusOr<Table*> table = FindTable(OpView(module_, instruction));
    if (!table.ok()) continue;
    for (const Place& place : (*table)->places) {
      if (place.site == nullptr || place.site->team >= 0) continue;
      std::vector<int64_t> ranks;
      for (ParticipantId id : place.site->members) ranks.push_back(RankOf(id));
      std::ranges::sort(ranks);
      ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
      if (ranks.size() < 2) continue;
      place.site->team = processes_->FindTeam(ranks);
      place.site->ranks = std::move(ranks);
    }
  }
}

// All members say the same, or their operands are gathered.
DeviceMesh::Carriage DeviceMesh::CarriageOf(Evaluation& e, const Site& site) const {
  const Opcode opcode = e.op().opcode();
  if (site.team < 0 || !MovesOperands(opcode)) return {};
  int64_t byte_size = 0;
  for (const ArrayRef& operand : e.operands()) byte_size += operand.byte_size();
  if (byte_size < kMinCarriedByteSize || byte_size > kMaxCarriedByteSize) return {};
  if (byte_size * static_cast<int64_t>(site.members.size()) > kMaxGatheredByteSize) return {};
  const Carriage gather = {.kind = Carriage::Kind::kGather};
  if (opcode == Opcode::kCollectiveBroadcast && !e.Get<Attr::kHasDynamicRoot>()) {
    return {.kind = Carriage::Kind::kBroadcast};
  }
  if (!IsAllReduce(opcode) || e.operands().size() != 1) return gather;
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  const ElementType type = e.operand(0).element_type;
  if (!form.IsBinary() || form.element_type != type || e.result(0).element_type != type) {
    return gather;
  }
  const auto reduction = ReductionOf(form.opcode, type);
  if (!reduction) return gather;
  const bool is_ordered = form.opcode == Opcode::kMinimum || form.opcode == Opcode::kMaximum;
  const auto number = NumberOf(type, is_ordered);
  if (!number) return gather;
  return {.kind = Carriage::Kind::kReduce, .reduction = *reduction, .number = *number};
}

// --- Under the lock ----------------------------------------------------------------------------

// All members are there.
void DeviceMesh::Carry(const std::shared_ptr<Gathering>& gathering) {
  moving_.push_back(gathering);
  if (gathering->carriage.kind != Carriage::Kind::kReduce) return AwaitTurn(gathering);
  for (size_t position : gathering->site->local) {
    gathering->local_members.push_back(gathering->members[position]);
  }
  SetPhase(*gathering, Gathering::kWorking);
}

// What this process brings is ready. Members that look on find that they have to wait.
void DeviceMesh::AwaitTurn(const std::shared_ptr<Gathering>& gathering) {
  if (IsOver()) return;
  if (gathering->carriage.kind == Carriage::Kind::kReduce) {
    gathering->phase.store(Gathering::kMoving, std::memory_order_release);
  }
  const bool says_turn = gathering->site->ranks.front() == processes_->rank();
  (says_turn ? ready_ : awaiting_).push_back(gathering);
  scheduler_.Hurry();
}

// --- Jobs: on the thread that began the run ----------------------------------------------------

// What all of the team say alike.
std::shared_ptr<TeamJob> DeviceMesh::MakeJob(const Gathering& gathering) const {
  const Site& site = *gathering.site;
  auto job = std::make_shared<TeamJob>();
  job->team = site.team;
  job->unit_counts.resize(site.ranks.size());
  const auto add_part = [&](size_t position) {
    const int64_t rank = RankOf(site.members[position]);
    job->root = std::ranges::find(site.ranks, rank) - site.ranks.begin();
    job->unit_counts[static_cast<size_t>(job->root)] +=
        UnitCount(gathering.members[position].operands);
  };
  switch (gathering.carriage.kind) {
    case Carriage::Kind::kPacket:
    case Carriage::Kind::kGather:
      for (size_t position = 0; position < site.members.size(); ++position) add_part(position);
      job->root = 0;
      break;
    case Carriage::Kind::kBroadcast:
      job->kind = TeamJob::Kind::kBroadcast;
      add_part(0);
      break;
    case Carriage::Kind::kReduce:
      job->kind = TeamJob::Kind::kReduce;
      job->reduction = gathering.carriage.reduction;
      job->number = gathering.carriage.number;
      job->count = gathering.members[0].operands[0].element_count();
      job->unit_counts.assign(site.ranks.size(), UnitCount(gathering.members[0].operands));
      break;
  }
  return job;
}

namespace {

// Takes the memory of a job and gives what this process brings, or gets in the same place.
std::byte* MakeRoom(TeamJob& job, std::span<const int64_t> ranks, int64_t rank) {
  const auto own = static_cast<size_t>(std::ranges::find(ranks, rank) - ranks.begin());
  const bool is_gather = job.kind == TeamJob::Kind::kGather;
  const int64_t unit_count = is_gather ? job.UnitStart(ranks.size())
                             : job.kind == TeamJob::Kind::kReduce
                                 ? job.unit_counts[own]
                                 : job.unit_counts[static_cast<size_t>(job.root)];
  const size_t byte_size = static_cast<size_t>(unit_count) * TeamJob::kUnit;
  job.bytes = std::make_unique_for_overwrite<std::byte[]>(byte_size);
  AskForHugePages(job.bytes.get(), byte_size);
  const int64_t start = is_gather ? job.UnitStart(own) : 0;
  return job.bytes.get() + static_cast<size_t>(start) * TeamJob::kUnit;
}

std::byte* CopyUnits(std::span<const ArrayRef> arrays, std::byte* to) {
  for (const ArrayRef& array : arrays) {
    std::memcpy(to, array.bytes, static_cast<size_t>(array.byte_size()));
    to += static_cast<size_t>(UnitCount({&array, 1})) * TeamJob::kUnit;
  }
  return to;
}

const std::byte* PointAtUnits(std::span<ArrayRef> arrays, const std::byte* from) {
  for (ArrayRef& array : arrays) {
    array.bytes = from;
    from += static_cast<size_t>(UnitCount({&array, 1})) * TeamJob::kUnit;
  }
  return from;
}

}  // namespace

// What this process brings.
void DeviceMesh::FillJob(const Gathering& gathering, TeamJob& job) const {
  const Site& site = *gathering.site;
  std::byte* to = MakeRoom(job, site.ranks, processes_->rank());
  switch (job.kind) {
    case TeamJob::Kind::kReduce: {
      const MutableArrayRef& folded = gathering.members[site.local.front()].results[0];
      std::memcpy(to, folded.bytes, static_cast<size_t>(folded.byte_size()));
      return;
    }
    case TeamJob::Kind::kGather:
      for (size_t position : site.local) to = CopyUnits(gathering.members[position].operands, to);
      return;
    case TeamJob::Kind::kBroadcast:
      if (IsHere(site.members[0])) CopyUnits(gathering.members[0].operands, to);
      return;
  }
}

// Turns that this process says.
void DeviceMesh::StartReady() {
  std::vector<std::shared_ptr<Gathering>> ready;
  {
    Lock lock(mutex_);
    ready.swap(ready_);
    if (IsOver()) return;
  }
  for (std::shared_ptr<Gathering>& gathering : ready) {
    std::shared_ptr<TeamJob> job = MakeJob(*gathering);
    const SharedPacket packet = PackGo(*gathering, *job);
    for (int64_t rank : gathering->site->elsewhere) processes_->Post(rank, packet);
    FillJob(*gathering, *job);
    processes_->Start(job);
    jobs_.emplace(std::move(job), std::move(gathering));
  }
}

std::shared_ptr<DeviceMesh::Gathering> DeviceMesh::TakeAwaiting(const Go& go) {
  const auto found = std::ranges::find_if(awaiting_, [&](const auto& gathering) {
    return gathering->site == go.site && gathering->arrivals[0].visit == go.visit;
  });
  if (found == awaiting_.end()) return nullptr;
  std::shared_ptr<Gathering> gathering = std::move(*found);
  awaiting_.erase(found);
  return gathering;
}

// Turns of one team that another process says. One whose meeting is not ready here yet will be: the
// others wait for it.
void DeviceMesh::StartFollowing(std::deque<Go>& gos) {
  while (!gos.empty()) {
    Go& go = gos.front();
    std::shared_ptr<Gathering> gathering;
    {
      Lock lock(mutex_);
      gathering = TakeAwaiting(go);
      if (gathering == nullptr && !IsOver()) return;
    }
    auto job = std::make_shared<TeamJob>(std::move(go.job));
    if (gathering != nullptr) {
      FillJob(*gathering, *job);
    } else {
      MakeRoom(*job, go.site->ranks, processes_->rank());
    }
    gos.pop_front();
    processes_->Start(job);
    jobs_.emplace(std::move(job), std::move(gathering));
  }
}

void DeviceMesh::CompleteJobs() {
  while (std::shared_ptr<TeamJob> job = processes_->NextDone()) {
    const auto found = jobs_.find(job);
    HLO_CHECK(found != jobs_.end());
    const std::shared_ptr<Gathering> gathering = std::move(found->second);
    jobs_.erase(found);
    if (gathering == nullptr) continue;
    {
      Lock lock(mutex_);
      std::erase(moving_, gathering);
      if (IsOver()) continue;  // the members are stopped
    }
    Complete(*gathering, job);
  }
}

void DeviceMesh::Complete(Gathering& gathering, const std::shared_ptr<TeamJob>& job) {
  const Site& site = *gathering.site;
  const auto take = [&](size_t position, const std::byte* from) {
    const std::shared_ptr<RemoteOperands>& remote = gathering.arrivals[position].remote;
    remote->storage = job;
    return PointAtUnits(remote->arrays, from);
  };
  switch (job->kind) {
    case TeamJob::Kind::kReduce:
      ++team_counts_.reduced;
      for (size_t position : site.local) {
        const MutableArrayRef& result = gathering.members[position].results[0];
        std::memcpy(result.bytes, job->bytes.get(), static_cast<size_t>(result.byte_size()));
      }
      gathering.Forget();
      return SetPhase(gathering, Gathering::kDone);
    case TeamJob::Kind::kGather: {
      ++team_counts_.gathered;
      const std::byte* from = job->bytes.get();
      for (int64_t rank : site.ranks) {
        for (size_t position = 0; position < site.members.size(); ++position) {
          if (RankOf(site.members[position]) != rank) continue;
          if (rank == processes_->rank()) {
            from += static_cast<size_t>(UnitCount(gathering.members[position].operands)) *
                    TeamJob::kUnit;
          } else {
            from = take(position, from);
          }
        }
      }
      return SetPhase(gathering, Gathering::kWorking);
    }
    case TeamJob::Kind::kBroadcast:
      ++team_counts_.broadcast;
      if (!IsHere(site.members[0])) take(0, job->bytes.get());
      return SetPhase(gathering, Gathering::kWorking);
  }
}

}  // namespace hlo
