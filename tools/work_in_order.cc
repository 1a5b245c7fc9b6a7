// Pieces are begun in order: the first that is not delivered is always at work or done, so whoever
// waits for it waits for somebody who does not wait.
#include "tools/work_in_order.h"

#include <condition_variable>
#include <mutex>
#include <vector>

#include "support/thread_pool.h"

namespace hlo::tools {
namespace {

constexpr int64_t kAheadPerThread = 16;

class OrderedWork {
 public:
  OrderedWork(int64_t thread_count, int64_t count, const std::function<void(int64_t)>& deliver)
      : window_(thread_count * kAheadPerThread), is_done_(count, false), deliver_(deliver) {}

  void WaitForTurn(int64_t i) {
    std::unique_lock lock(mutex_);
    has_delivered_.wait(lock, [&] { return i < delivered_ + window_; });
  }

  void Finish(int64_t i) {
    std::lock_guard lock(mutex_);
    is_done_[i] = true;
    const int64_t before = delivered_;
    const auto count = static_cast<int64_t>(is_done_.size());
    for (; delivered_ < count && is_done_[delivered_]; ++delivered_) deliver_(delivered_);
    if (delivered_ != before) has_delivered_.notify_all();
  }

 private:
  const int64_t window_;
  std::mutex mutex_;  // of what follows
  std::condition_variable has_delivered_;
  std::vector<bool> is_done_;
  int64_t delivered_ = 0;  // how many
  const std::function<void(int64_t)>& deliver_;
};

}  // namespace

void WorkInOrder(int64_t thread_count, int64_t count, const std::function<void(int64_t)>& work,
                 const std::function<void(int64_t)>& deliver) {
  OrderedWork order(thread_count, count, deliver);
  ThreadPool(thread_count).ForEach(count, [&](int64_t i) {
    order.WaitForTurn(i);
    work(i);
    order.Finish(i);
  });
}

}  // namespace hlo::tools
