// Threads that share out the parts of one piece of work. What a part is must not depend on their
// number: then neither do results.
#ifndef HLOKIT_SUPPORT_THREAD_POOL_H_
#define HLOKIT_SUPPORT_THREAD_POOL_H_

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace hlo {

class ThreadPool {
 public:
  // `thread_count` counts the caller of ForEach: with 1 there are no others. The others are started
  // when there is work for them.
  explicit ThreadPool(int64_t thread_count)
      : thread_count_(thread_count),
        stretches_(static_cast<size_t>(std::max<int64_t>(1, thread_count))) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int64_t thread_count() const { return thread_count_; }

  // Calls function(part) for 0 <= part < part_count, each once, in any order on any of the threads,
  // and returns when all are done. What a part throws is thrown again here; parts that had not
  // begun are left out then. Any number of threads may call it at a time, from parts as well: one
  // of them is helped, the others do all of their parts themselves.
  void ForEach(int64_t part_count, absl::FunctionRef<void(int64_t part)> function);

  // The number of processors this process may run on.
  static int64_t ProcessorCount();

 private:
  // Parts that one of the threads takes first, one behind the other.
  struct alignas(64) Stretch {
    std::atomic<int64_t> next = 0;
    int64_t end = 0;
  };

  void Start();
  void ShareOut(int64_t part_count);
  void Work(size_t thread);
  // Those of the thread's stretch, then what others have left of theirs.
  void TakeParts(size_t thread);
  void TakePartsOf(Stretch& stretch);
  // What the threads do between rounds: wait for one that is not `last_round`, come in, which sets
  // that, unless it is closed, and leave.
  void AwaitRound(uint64_t last_round);
  bool Enter(uint64_t& last_round);
  void Leave();
  // Closes the round and waits until all have left.
  void AwaitIdle();

  const int64_t thread_count_;
  std::atomic<bool> is_in_use_ = false;  // by the caller that is helped
  std::vector<std::thread> threads_;

  std::atomic<uint64_t> round_ = 0;  // its number, whether it is open, threads in it
  std::atomic<int64_t> sleeper_count_ = 0;
  std::atomic<bool> is_ending_ = false;
  // Of the round, for those who are in.
  absl::FunctionRef<void(int64_t)>* function_ = nullptr;
  std::vector<Stretch> stretches_;  // of the threads, the caller first

  std::mutex mutex_;  // of sleep, and of what follows
  std::condition_variable has_work_;
  std::condition_variable is_idle_;
  std::exception_ptr thrown_;
};

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_THREAD_POOL_H_
