// Links are queues in memory, in order between any two processes, as those of a carrier are. A
// team's job is done by whoever begins its last part, for all of the team. Abort is not for here:
// it would end the tests.
#include "testing/local_processes.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "support/check.h"

namespace hlo::testing {
namespace {

template <typename T>
T Combined(TeamJob::Reduction reduction, T a, T b) {
  switch (reduction) {
    case TeamJob::Reduction::kSum:
      return static_cast<T>(a + b);
    case TeamJob::Reduction::kProduct:
      return static_cast<T>(a * b);
    case TeamJob::Reduction::kMin:
      return std::min(a, b);
    case TeamJob::Reduction::kMax:
      return std::max(a, b);
    case TeamJob::Reduction::kAnd:
      return static_cast<T>(a & b);
    case TeamJob::Reduction::kOr:
      return static_cast<T>(a | b);
    case TeamJob::Reduction::kXor:
      return static_cast<T>(a ^ b);
  }
  HLO_UNREACHABLE();
}

// What the processes of a team have begun, in its order.
using Job = std::shared_ptr<TeamJob>;
using TeamJobs = std::vector<Job>;

template <typename T>
void Reduce(const TeamJobs& jobs) {
  T* first = reinterpret_cast<T*>(jobs[0]->bytes.get());
  const auto count = static_cast<size_t>(jobs[0]->count);
  for (size_t i = 1; i < jobs.size(); ++i) {
    const T* next = reinterpret_cast<const T*>(jobs[i]->bytes.get());
    for (size_t k = 0; k < count; ++k) first[k] = Combined(jobs[0]->reduction, first[k], next[k]);
  }
  for (size_t i = 1; i < jobs.size(); ++i) {
    std::memcpy(jobs[i]->bytes.get(), first, count * sizeof(T));
  }
}

void ReduceNumbers(const TeamJobs& jobs) {
  switch (jobs[0]->number) {
    case TeamJob::Number::kS8:
      return Reduce<int8_t>(jobs);
    case TeamJob::Number::kS16:
      return Reduce<int16_t>(jobs);
    case TeamJob::Number::kS32:
      return Reduce<int32_t>(jobs);
    case TeamJob::Number::kS64:
      return Reduce<int64_t>(jobs);
    case TeamJob::Number::kU8:
      return Reduce<uint8_t>(jobs);
    case TeamJob::Number::kU16:
      return Reduce<uint16_t>(jobs);
    case TeamJob::Number::kU32:
      return Reduce<uint32_t>(jobs);
    case TeamJob::Number::kU64:
      return Reduce<uint64_t>(jobs);
  }
}

// Part `from` of what process `from` has, for all others.
void Spread(const TeamJobs& jobs, size_t from, int64_t unit_start) {
  const size_t start = static_cast<size_t>(unit_start) * TeamJob::kUnit;
  const size_t byte_size = static_cast<size_t>(jobs[0]->unit_counts[from]) * TeamJob::kUnit;
  for (size_t to = 0; to < jobs.size(); ++to) {
    if (to == from) continue;
    std::memcpy(jobs[to]->bytes.get() + start, jobs[from]->bytes.get() + start, byte_size);
  }
}

void Do(const TeamJobs& jobs) {
  for (const Job& job : jobs) {
    HLO_CHECK(job->kind == jobs[0]->kind && job->unit_counts == jobs[0]->unit_counts);
  }
  switch (jobs[0]->kind) {
    case TeamJob::Kind::kReduce:
      return ReduceNumbers(jobs);
    case TeamJob::Kind::kGather:
      for (size_t from = 0; from < jobs.size(); ++from)
        Spread(jobs, from, jobs[0]->UnitStart(from));
      return;
    case TeamJob::Kind::kBroadcast:
      return Spread(jobs, static_cast<size_t>(jobs[0]->root), 0);
  }
}

// The teams of all processes. Jobs are done by whoever begins the last part.
class Teams {
 public:
  int64_t Find(std::span<const int64_t> ranks) {
    std::lock_guard lock(mutex_);
    for (size_t i = 0; i < teams_.size(); ++i) {
      if (std::ranges::equal(teams_[i].ranks, ranks)) return static_cast<int64_t>(i);
    }
    teams_.push_back({{ranks.begin(), ranks.end()}, std::vector<std::deque<Job>>(ranks.size())});
    return static_cast<int64_t>(teams_.size() - 1);
  }

  void Start(int64_t rank, Job job) {
    std::lock_guard lock(mutex_);
    Team& team = teams_[static_cast<size_t>(job->team)];
    const auto own = std::ranges::find(team.ranks, rank) - team.ranks.begin();
    team.begun[static_cast<size_t>(own)].push_back(std::move(job));
    if (std::ranges::any_of(team.begun, &std::deque<Job>::empty)) return;
    TeamJobs jobs;
    for (std::deque<Job>& begun : team.begun) {
      jobs.push_back(std::move(begun.front()));
      begun.pop_front();
    }
    Do(jobs);
    for (size_t i = 0; i < jobs.size(); ++i) done_[team.ranks[i]].push_back(jobs[i]);
  }

  Job NextDone(int64_t rank) {
    std::lock_guard lock(mutex_);
    std::deque<Job>& done = done_[rank];
    if (done.empty()) return nullptr;
    Job next = std::move(done.front());
    done.pop_front();
    return next;
  }

 private:
  struct Team {
    std::vector<int64_t> ranks;
    std::vector<std::deque<Job>> begun;  // by process of the team
  };

  std::mutex mutex_;
  std::vector<Team> teams_;
  std::map<int64_t, std::deque<Job>> done_;  // by rank
};

struct Inbox {
  std::mutex mutex;
  std::deque<ProcessLink::Arrived> packets;
};
using Inboxes = std::vector<Inbox>;

class LocalLink final : public ProcessLink {
 public:
  LocalLink(int64_t rank, std::shared_ptr<Inboxes> inboxes, std::shared_ptr<Teams> teams)
      : rank_(rank), inboxes_(std::move(inboxes)), teams_(std::move(teams)) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return static_cast<int64_t>(inboxes_->size()); }

  void Send(int64_t to, SharedPacket packet) override {
    Inbox& inbox = (*inboxes_)[static_cast<size_t>(to)];
    std::lock_guard lock(inbox.mutex);
    inbox.packets.push_back({rank_, *packet});
  }

  std::optional<Arrived> Receive() override {
    Inbox& inbox = (*inboxes_)[static_cast<size_t>(rank_)];
    std::lock_guard lock(inbox.mutex);
    if (inbox.packets.empty()) return std::nullopt;
    Arrived next = std::move(inbox.packets.front());
    inbox.packets.pop_front();
    return next;
  }

  int64_t FindTeam(std::span<const int64_t> ranks) override { return teams_->Find(ranks); }
  void Start(Job job) override { teams_->Start(rank_, std::move(job)); }
  Job NextDone() override { return teams_->NextDone(rank_); }

  void Abort(int) override { HLO_UNREACHABLE(); }

 private:
  const int64_t rank_;
  const std::shared_ptr<Inboxes> inboxes_;
  const std::shared_ptr<Teams> teams_;
};

}  // namespace

std::vector<std::unique_ptr<ProcessLink>> LinkLocalProcesses(int64_t count) {
  const auto inboxes = std::make_shared<Inboxes>(static_cast<size_t>(count));
  const auto teams = std::make_shared<Teams>();
  std::vector<std::unique_ptr<ProcessLink>> links;
  for (int64_t rank = 0; rank < count; ++rank) {
    links.push_back(std::make_unique<LocalLink>(rank, inboxes, teams));
  }
  return links;
}

}  // namespace hlo::testing
