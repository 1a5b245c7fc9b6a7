// A participant is running, woken or parked, and one atomic decides between it and those who wake
// it: a wake-up that comes before the wait is kept and ends it, so none is lost. On shared threads
// Park changes to the thread's loop, which takes the next participant that is ready. A stack is
// address space with a guard at its end and takes memory as it is used.
#include "interp/replica/scheduler.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "interp/replica/followed_fiber.h"
#include "support/check.h"
#include "support/relax.h"

// The address sanitizer follows threads: under it every participant has one.
#if defined(__SANITIZE_ADDRESS__)
#define HLO_FOLLOWS_THREADS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HLO_FOLLOWS_THREADS 1
#endif
#endif

namespace hlo {
namespace {

#ifdef HLO_FOLLOWS_THREADS
constexpr bool kMayShareThreads = false;
#else
constexpr bool kMayShareThreads = true;
#endif

// Address space; only what is used takes memory.
constexpr size_t kStackByteSize = size_t{4} << 20;
constexpr size_t kGuardByteSize = size_t{64} << 10;

int64_t CoreCount() {
  return std::max<int64_t>(1, static_cast<int64_t>(std::thread::hardware_concurrency()));
}

class Stack {
 public:
  Stack() = default;
  ~Stack() {
    if (memory_ != MAP_FAILED) munmap(memory_, kStackByteSize);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  bool Allocate() {
    if (memory_ != MAP_FAILED) return true;
    memory_ = mmap(nullptr, kStackByteSize, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    // Running over its end is a fault, not another participant's memory.
    return memory_ != MAP_FAILED && mprotect(memory_, kGuardByteSize, PROT_NONE) == 0;
  }
  void* begin() const { return memory_; }

 private:
  void* memory_ = MAP_FAILED;
};

}  // namespace

struct ParticipantScheduler::Participant {
  std::atomic<uint32_t> state = kRunning;
  int64_t id = 0;
  ParticipantScheduler* scheduler = nullptr;
  Worker* worker = nullptr;
  Stack stack;
  ucontext_t context;
  FollowedFiber fiber;
  bool is_done = false;
};

struct ParticipantScheduler::Worker {
  std::vector<Participant*> participants;
  ucontext_t loop;
  FollowedFiber loop_fiber;
  std::mutex mutex;
  std::condition_variable is_ready;
  std::deque<Participant*> ready;  // under `mutex`
  std::atomic<bool> has_ready = false;
  std::thread thread;
};

namespace {
// The participant whose stack the thread is about to enter.
thread_local void* entering = nullptr;
}  // namespace

ParticipantScheduler::ParticipantScheduler(int64_t participant_count)
    : is_shared_(kMayShareThreads && participant_count > CoreCount()),
      may_spin_(participant_count <= CoreCount()),
      participants_(static_cast<size_t>(participant_count)) {
  const int64_t worker_count = is_shared_ ? CoreCount() : participant_count;
  for (int64_t i = 0; i < worker_count; ++i) workers_.push_back(std::make_unique<Worker>());
  // Neighbours, which often exchange data, are on one thread.
  for (int64_t i = 0; i < participant_count; ++i) {
    Participant& participant = participants_[static_cast<size_t>(i)];
    participant.id = i;
    participant.scheduler = this;
    participant.worker = workers_[static_cast<size_t>(i * worker_count / participant_count)].get();
    participant.worker->participants.push_back(&participant);
  }
}

ParticipantScheduler::~ParticipantScheduler() = default;

void ParticipantScheduler::CountDown() {
  std::lock_guard lock(mutex_);
  if (--unfinished_ == 0) all_done_.notify_all();
}

void ParticipantScheduler::Hurry() {
  std::lock_guard lock(mutex_);
  is_hurried_ = true;
  all_done_.notify_all();
}

absl::Status ParticipantScheduler::Run(const std::function<void(int64_t)>& body,
                                       const std::function<std::chrono::microseconds()>& look,
                                       const std::function<void()>& give_up) {
  body_ = &body;
  unfinished_ = static_cast<int64_t>(participants_.size());
  bool has_all = true;
  for (Participant& participant : participants_) {
    participant.state = kRunning;
    participant.is_done = false;
    has_all = has_all && (!is_shared_ || MakeFiber(participant));
  }
  size_t started = 0;
  try {
    for (; has_all && started < workers_.size(); ++started) {
      Worker& worker = *workers_[started];
      worker.thread = std::thread([this, &worker] {
        if (is_shared_) {
          RunShared(worker);
        } else {
          RunThread(worker);
        }
      });
    }
  } catch (const std::system_error&) {
    has_all = false;
  }
  for (size_t i = started; i < workers_.size(); ++i) {
    std::lock_guard lock(mutex_);
    unfinished_ -= static_cast<int64_t>(workers_[i]->participants.size());
  }
  if (!has_all) give_up();
  {
    std::unique_lock lock(mutex_);
    while (unfinished_ > 0) {
      lock.unlock();
      const std::chrono::microseconds pause = look();
      if (pause.count() == 0) std::this_thread::yield();
      lock.lock();
      if (pause.count() > 0) {
        all_done_.wait_for(lock, pause, [this] { return unfinished_ == 0 || is_hurried_; });
      }
      is_hurried_ = false;
    }
  }
  for (size_t i = 0; i < started; ++i) workers_[i]->thread.join();
  if (has_all) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("the system has no threads or stacks for {} participants", participants_.size()));
}

// --- A thread for each ---------------------------------------------------------------------------

void ParticipantScheduler::RunThread(Worker& worker) {
  (*body_)(worker.participants[0]->id);
  CountDown();
}

// --- Several on a thread -------------------------------------------------------------------------

void ParticipantScheduler::EnterFiber() {
  Participant& participant = *static_cast<Participant*>(entering);
  (*participant.scheduler->body_)(participant.id);
  participant.is_done = true;
  participant.worker->loop_fiber.Enter();
  setcontext(&participant.worker->loop);
}

bool ParticipantScheduler::MakeFiber(Participant& participant) {
  if (!participant.stack.Allocate()) return false;
  HLO_CHECK(getcontext(&participant.context) == 0);
  participant.context.uc_stack.ss_sp = participant.stack.begin();
  participant.context.uc_stack.ss_size = kStackByteSize;
  participant.context.uc_link = nullptr;
  makecontext(&participant.context, EnterFiber, 0);
  return true;
}

// Whoever it waits for often comes within microseconds: sleeping and being woken takes longer.
ParticipantScheduler::Participant* ParticipantScheduler::NextReady(Worker& worker) {
  constexpr int kYields = 20;
  for (int i = 0; i < kYields && !worker.has_ready.load(std::memory_order_relaxed); ++i) {
    std::this_thread::yield();
  }
  std::unique_lock lock(worker.mutex);
  worker.is_ready.wait(lock, [&] { return !worker.ready.empty(); });
  Participant* next = worker.ready.front();
  worker.ready.pop_front();
  worker.has_ready.store(!worker.ready.empty(), std::memory_order_relaxed);
  return next;
}

void ParticipantScheduler::RunShared(Worker& worker) {
  worker.loop_fiber.BecomeCurrent();
  {
    std::lock_guard lock(worker.mutex);
    worker.ready.assign(worker.participants.begin(), worker.participants.end());
    worker.has_ready = true;
  }
  for (Participant* participant : worker.participants) participant->fiber.BecomeNew();
  for (size_t unfinished = worker.participants.size(); unfinished > 0;) {
    Participant* next = NextReady(worker);
    entering = next;
    next->fiber.Enter();
    swapcontext(&worker.loop, &next->context);
    if (!next->is_done) continue;
    next->fiber.End();
    --unfinished;
    CountDown();
  }
}

// --- Waiting -------------------------------------------------------------------------------------

void ParticipantScheduler::Park(int64_t me) {
  Participant& participant = participants_[static_cast<size_t>(me)];
  constexpr int kSpins = 2000;
  constexpr int kSpinsUntilYield = 200;
  for (int i = 1; may_spin_ && i < kSpins; ++i) {
    if (participant.state.load(std::memory_order_acquire) == kWoken) break;
    if (i % kSpinsUntilYield == 0) {
      std::this_thread::yield();
    } else {
      Relax();
    }
  }
  uint32_t expected = kRunning;
  if (!participant.state.compare_exchange_strong(expected, kParked, std::memory_order_acq_rel)) {
    participant.state.store(kRunning, std::memory_order_release);  // woken already
    return;
  }
  if (is_shared_) {
    participant.worker->loop_fiber.Enter();
    swapcontext(&participant.context, &participant.worker->loop);
  } else {
    participant.state.wait(kParked, std::memory_order_acquire);
  }
}

// Whether it is parked and runs again, which is seen to by whoever asks.
bool ParticipantScheduler::Claim(Participant& participant) {
  uint32_t state = participant.state.load(std::memory_order_acquire);
  for (;;) {
    if (state == kWoken) return false;
    const uint32_t next = state == kParked ? kRunning : kWoken;
    if (participant.state.compare_exchange_weak(state, next, std::memory_order_acq_rel)) break;
  }
  return state == kParked;
}

// Neighbours share a thread, which is told once. It finds them in its queue only after it has left
// them.
void ParticipantScheduler::Unpark(std::span<const int64_t> ids) {
  for (size_t i = 0; i < ids.size();) {
    Participant& first = participants_[static_cast<size_t>(ids[i])];
    if (!is_shared_) {
      if (Claim(first)) first.state.notify_one();
      ++i;
      continue;
    }
    Worker& worker = *first.worker;
    bool was_empty = false;
    bool has_any = false;
    {
      std::lock_guard lock(worker.mutex);
      was_empty = worker.ready.empty();
      for (; i < ids.size(); ++i) {
        Participant& participant = participants_[static_cast<size_t>(ids[i])];
        if (participant.worker != &worker) break;
        if (Claim(participant)) worker.ready.push_back(&participant);
      }
      has_any = !worker.ready.empty();
      if (has_any) worker.has_ready.store(true, std::memory_order_relaxed);
    }
    if (was_empty && has_any) worker.is_ready.notify_one();
  }
}

}  // namespace hlo
