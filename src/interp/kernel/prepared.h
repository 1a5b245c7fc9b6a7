// What kernels work out once, from the instruction and the sizes of its operands: how they walk
// over their arrays, in which order, and the room for the few numbers they keep on the way.
#ifndef HLOKIT_INTERP_KERNEL_PREPARED_H_
#define HLOKIT_INTERP_KERNEL_PREPARED_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "interp/kernel/evaluation.h"

namespace hlo {

// A T made of the evaluation, or of its instruction alone, and made again when operands of dynamic
// shape have come in other sizes. It may use all of the evaluation except for addresses and
// elements of arrays.
template <typename T>
class Prepared final : public KernelState {
 public:
  explicit Prepared(Evaluation& e) { Make(e); }

  T& For(Evaluation& e) {
    if (!value_.has_value() || !HasSizesOf(e)) Make(e);
    return *value_;
  }

 private:
  void Make(Evaluation& e) {
    sizes_.clear();
    for (const ArrayRef& operand : e.operands()) {
      sizes_.insert(sizes_.end(), operand.dims.begin(), operand.dims.end());
    }
    if constexpr (std::is_constructible_v<T, Evaluation&>) {
      value_.emplace(e);
    } else {
      value_.emplace(e.op());
    }
  }

  bool HasSizesOf(const Evaluation& e) const {
    const int64_t* size = sizes_.data();
    for (const ArrayRef& operand : e.operands()) {
      for (int64_t dim : operand.dims) {
        if (*size++ != dim) return false;
      }
    }
    return true;
  }

  absl::InlinedVector<int64_t, 8> sizes_;  // of all operands, one behind the other
  std::optional<T> value_;                 // none: memory was short
};

// Kernel::prepare for kernels that make a T of the evaluation, and the T as `run` gets it.
template <typename T>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  return std::make_unique<Prepared<T>>(e);
}
template <typename T>
T& PreparedOf(Evaluation& e) {
  return e.state<Prepared<T>>().For(e);
}

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_PREPARED_H_
