// What this machine does at most, measured.
#ifndef HLOKIT_INTERP_SIMD_MACHINE_LIMITS_H_
#define HLOKIT_INTERP_SIMD_MACHINE_LIMITS_H_

#include "support/thread_pool.h"

namespace hlo::simd {

struct MachineLimits {
  double flops_per_second = 0;  // products and sums of f32
  double bytes_per_second = 0;  // read from memory and written to it, beyond the caches
};

// Takes a tenth of a second and 64 MiB for a while. With all threads of `pool`, whatever else runs
// on the machine: the best of a few rounds counts.
MachineLimits MeasureMachine(ThreadPool& pool);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MACHINE_LIMITS_H_
