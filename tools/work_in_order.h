// Many pieces of work at a time, whose results come out one behind the other.
#ifndef HLOKIT_TOOLS_WORK_IN_ORDER_H_
#define HLOKIT_TOOLS_WORK_IN_ORDER_H_

#include <cstdint>
#include <functional>

namespace hlo::tools {

// Calls work(i) for 0 <= i < count on `thread_count` threads, and deliver(i) for each i in order,
// one at a time, as soon as i and all before it are done. Work that is far ahead of what can be
// delivered waits, so that results do not pile up behind a slow first one. Neither may throw.
void WorkInOrder(int64_t thread_count, int64_t count, const std::function<void(int64_t)>& work,
                 const std::function<void(int64_t)>& deliver);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_WORK_IN_ORDER_H_
