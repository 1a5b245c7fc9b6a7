// A call opens a round: threads that come in take parts until none are left, each those of a
// stretch of its own first. So the same parts are done by the same thread when the work is done
// again, and what they touched is in its processor's caches. Then the call closes it and waits for
// those that are in; who was too late is not waited for. Between rounds threads look for the next
// one for a moment, since kernels follow each other closely, and then sleep: whoever spins takes
// the processor away from others. The same at a round's end. To sleep and to be woken takes longer
// than many a round does.
//
// Which round it is, whether it is open and how many threads are in are one number, so that none
// comes in after the end.
#include "support/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "support/relax.h"

namespace hlo {
namespace {

constexpr uint64_t kBusy = 1;                   // a thread that is in
constexpr uint64_t kOpen = uint64_t{1} << 31;   // the round
constexpr uint64_t kRound = uint64_t{1} << 32;  // counts the calls that were helped
constexpr uint64_t kBusyMask = kOpen - 1;

// Whether `is_done` comes true within some 100 us. Whoever shares the processor gets it in between.
template <typename IsDone>
bool SpinUntil(IsDone&& is_done) {
  constexpr int kYields = 100, kPauses = 16;
  for (int i = 0; i < kYields; ++i) {
    for (int k = 0; k < kPauses; ++k) {
      if (is_done()) return true;
      Relax();
    }
    std::this_thread::yield();
  }
  return is_done();
}

}  // namespace

int64_t ThreadPool::ProcessorCount() {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0) {
    return std::max(1, CPU_COUNT(&processors));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Start() {
  if (!threads_.empty()) return;
  try {
    for (size_t i = 1; i < stretches_.size(); ++i) {
      threads_.emplace_back([this, i] { Work(i); });
    }
  } catch (const std::system_error&) {  // the system gives no more: those there are will do
  }
}

void ThreadPool::AwaitRound(uint64_t last_round) {
  const auto is_over = [&] { return is_ending_ || round_ / kRound != last_round; };
  if (SpinUntil(is_over)) return;
  std::unique_lock lock(mutex_);
  ++sleeper_count_;  // before it looks for the last time: who opens a round looks for sleepers then
  has_work_.wait(lock, is_over);
  --sleeper_count_;
}

bool ThreadPool::Enter(uint64_t& last_round) {
  uint64_t round = round_;
  do {
    last_round = round / kRound;
    if ((round & kOpen) == 0) return false;
  } while (!round_.compare_exchange_weak(round, round + kBusy));
  return true;
}

void ThreadPool::Leave() {
  const uint64_t before = round_.fetch_sub(kBusy);
  if ((before & kBusyMask) != kBusy || (before & kOpen) != 0) return;
  const std::lock_guard lock(mutex_);  // the caller has looked, or sleeps already
  is_idle_.notify_one();
}

void ThreadPool::AwaitIdle() {
  round_ &= ~kOpen;
  const auto is_idle = [&] { return (round_ & kBusyMask) == 0; };
  if (SpinUntil(is_idle)) return;
  std::unique_lock lock(mutex_);
  is_idle_.wait(lock, is_idle);
}

void ThreadPool::Work(size_t thread) {
  uint64_t last_round = 0;
  for (;;) {
    AwaitRound(last_round);
    if (is_ending_) return;
    if (!Enter(last_round)) continue;
    TakeParts(thread);
    Leave();
  }
}

void ThreadPool::ShareOut(int64_t part_count) {
  const int64_t each = part_count / thread_count_, left = part_count % thread_count_;
  int64_t begin = 0;
  for (int64_t i = 0; i < thread_count_; ++i) {
    Stretch& stretch = stretches_[static_cast<size_t>(i)];
    stretch.next.store(begin, std::memory_order_relaxed);
    begin += each + (i < left ? 1 : 0);
    stretch.end = begin;
  }
}

void ThreadPool::TakeParts(size_t thread) {
  try {
    for (size_t i = 0; i < stretches_.size(); ++i) {
      TakePartsOf(stretches_[(thread + i) % stretches_.size()]);
    }
  } catch (...) {
    for (Stretch& stretch : stretches_) stretch.next.store(stretch.end, std::memory_order_relaxed);
    std::lock_guard lock(mutex_);
    if (thrown_ == nullptr) thrown_ = std::current_exception();
  }
}

void ThreadPool::TakePartsOf(Stretch& stretch) {
  for (;;) {
    const int64_t part = stretch.next.fetch_add(1, std::memory_order_relaxed);
    if (part >= stretch.end) return;
    (*function_)(part);
  }
}

void ThreadPool::ForEach(int64_t part_count, absl::FunctionRef<void(int64_t)> function) {
  if (thread_count_ <= 1 || part_count <= 1 || is_in_use_.exchange(true)) {
    for (int64_t part = 0; part < part_count; ++part) function(part);
    return;
  }
  Start();
  function_ = &function;
  ShareOut(part_count);
  round_ = (round_ / kRound + 1) * kRound + kOpen;
  if (sleeper_count_ > 0) {
    const std::lock_guard lock(mutex_);  // they have looked, or sleep already
    has_work_.notify_all();
  }
  TakeParts(/*thread=*/0);
  AwaitIdle();
  const std::exception_ptr thrown = std::exchange(thrown_, nullptr);
  is_in_use_.store(false);
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace hlo
