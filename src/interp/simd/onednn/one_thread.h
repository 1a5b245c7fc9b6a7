// Primitives for one thread, side by side on ours: so a result does not depend on their number.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_ONE_THREAD_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_ONE_THREAD_H_

#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/onednn/library.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {

// Calls run(i) for all i, with oneDNN on one thread in each. A failure of one is returned.
template <typename Function>
absl::Status ForEachOnOneThread(const DeviceContext& device, int64_t count, Function&& run) {
  std::mutex mutex;
  absl::Status failure;
  HLO_RETURN_IF_ERROR(ForEachPart(device, count, [&](int64_t i) {
    WithOneThread(*FindLibrary(), [&] {
      absl::Status status = run(i);
      if (status.ok()) return;
      const std::lock_guard lock(mutex);
      failure = std::move(status);
    });
  }));
  return failure;
}

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_ONE_THREAD_H_
