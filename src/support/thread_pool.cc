// A call opens a round: threads that come in take parts from one counter until none are left. Then
// the call closes it and waits for those that are in; who was too late is not waited for. Between
// rounds threads look for the next one for a moment, since kernels follow each other closely, and
// then sleep: whoever spins takes the processor away from others.
#include "support/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <system_error>

namespace hlo {
namespace {

constexpr int kSpinCount = 200;  // of yields: some 50 us

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
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  spun_round_.store(-1, std::memory_order_release);
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Start() {
  if (!threads_.empty()) return;
  try {
    for (int64_t i = 1; i < thread_count_; ++i) threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {  // the system gives no more: those there are will do
  }
}

void ThreadPool::Work() {
  int64_t last_round = 0;
  for (;;) {
    for (int spin = 0; spin < kSpinCount; ++spin) {
      if (spun_round_.load(std::memory_order_acquire) != last_round) break;
      std::this_thread::yield();
    }
    {
      std::unique_lock lock(mutex_);
      has_work_.wait(lock, [&] { return is_ending_ || round_ != last_round; });
      if (is_ending_) return;
      last_round = round_;
      if (!is_open_) continue;
      ++busy_count_;
    }
    TakeParts();
    std::lock_guard lock(mutex_);
    if (--busy_count_ == 0) is_idle_.notify_one();
  }
}

void ThreadPool::TakeParts() {
  try {
    for (;;) {
      const int64_t part = next_part_.fetch_add(1, std::memory_order_relaxed);
      if (part >= part_count_) return;
      (*function_)(part);
    }
  } catch (...) {
    next_part_.store(part_count_, std::memory_order_relaxed);
    std::lock_guard lock(mutex_);
    if (thrown_ == nullptr) thrown_ = std::current_exception();
  }
}

void ThreadPool::ForEach(int64_t part_count, absl::FunctionRef<void(int64_t)> function) {
  if (thread_count_ <= 1 || part_count <= 1 || is_in_use_.exchange(true)) {
    for (int64_t part = 0; part < part_count; ++part) function(part);
    return;
  }
  Start();
  {
    std::lock_guard lock(mutex_);
    function_ = &function;
    part_count_ = part_count;
    next_part_.store(0, std::memory_order_relaxed);
    is_open_ = true;
    ++round_;
    spun_round_.store(round_, std::memory_order_release);
  }
  has_work_.notify_all();
  TakeParts();
  std::exception_ptr thrown;
  {
    std::unique_lock lock(mutex_);
    is_open_ = false;
    is_idle_.wait(lock, [&] { return busy_count_ == 0; });
    std::swap(thrown, thrown_);
  }
  is_in_use_.store(false);
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace hlo
