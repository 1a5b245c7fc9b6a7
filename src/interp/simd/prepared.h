// Kernels that work out once, from the instruction alone, how they walk over their arrays.
#ifndef HLOKIT_INTERP_SIMD_PREPARED_H_
#define HLOKIT_INTERP_SIMD_PREPARED_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "interp/kernel/evaluation.h"

namespace hlo::simd {

template <typename T>
struct Prepared final : KernelState {
  template <typename... Arguments>
  explicit Prepared(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}

  const T value;
};

// Kernel::prepare for those that make a T of the operation, and the T as `run` gets it.
template <typename T, auto... kArguments>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  return std::make_unique<Prepared<T>>(e.op(), kArguments...);
}
template <typename T>
const T& PreparedOf(const Evaluation& e) {
  return e.state<Prepared<T>>().value;
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PREPARED_H_
