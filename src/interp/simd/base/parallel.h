// How kernels spread their work: in parts that do not depend on the number of threads.
#ifndef HLOKIT_INTERP_SIMD_BASE_PARALLEL_H_
#define HLOKIT_INTERP_SIMD_BASE_PARALLEL_H_

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "interp/kernel/device.h"

namespace hlo::simd {

// Calls function(part) for all parts, on the device's threads. Between parts it looks whether the
// run is to stop: parts should take some 10 ms at most. Fails with kCancelled then.
inline absl::Status ForEachPart(const DeviceContext& device, int64_t part_count,
                                absl::FunctionRef<void(int64_t part)> function) {
  if (device.thread_pool() == nullptr || part_count == 1) {
    for (int64_t part = 0; part < part_count && !device.is_interrupted(); ++part) function(part);
  } else {
    device.thread_pool()->ForEach(part_count, [&](int64_t part) {
      if (!device.is_interrupted()) function(part);
    });
  }
  return device.is_interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
}

inline int64_t ThreadCount(const DeviceContext& device) {
  return device.thread_pool() == nullptr ? 1 : device.thread_pool()->thread_count();
}

// How many of so many parts run at a time: what one of them takes in scratch memory counts so
// often. More threads than processors, which gain nothing, are not counted.
inline int64_t PartsAtOnce(int64_t part_count) {
  return std::min(part_count, ThreadPool::ProcessorCount());
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BASE_PARALLEL_H_
