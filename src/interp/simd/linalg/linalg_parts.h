// How work on a batch of matrices is spread: small matrices some at a time, each on one thread;
// large ones one after the other, each on all threads.
#ifndef HLOKIT_INTERP_SIMD_LINALG_LINALG_PARTS_H_
#define HLOKIT_INTERP_SIMD_LINALG_LINALG_PARTS_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/eval.h"
#include "interp/simd/base/parallel.h"
#include "ir/element_traits.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {

class LinalgParts {
 public:
  // `work`: about how many products one matrix takes.
  LinalgParts(int64_t matrix_count, double work) : matrix_count_(matrix_count) {
    constexpr double kPart = 1 << 16;
    if (matrix_count > 1 && work < 64 * kPart) {
      const auto fitting = static_cast<int64_t>(kPart / std::max(work, 1.0));
      per_part_ = std::clamp<int64_t>(fitting, 1, matrix_count);
    }
  }

  // How many of them are worked on at a time.
  int64_t AtOnce() const {
    return per_part_ == 0 ? 1 : PartsAtOnce(CeilDiv(matrix_count_, per_part_));
  }

  // worker.Run(matrix) for all matrices, by Worker(device or null, arguments...): null where it is
  // to stay on its thread. worker.RunSome(matrix, count) may do some of so many before, and says
  // how many it did.
  template <typename Worker, typename Argument>
  absl::Status ForEachMatrix(const DeviceContext& device, Argument& argument) const {
    if (per_part_ == 0) {
      Worker worker(argument, &device);
      for (int64_t m = 0; m < matrix_count_; ++m) HLO_RETURN_IF_ERROR(worker.Run(m));
      return absl::OkStatus();
    }
    return ForEachPart(device, CeilDiv(matrix_count_, per_part_), [&](int64_t part) {
      Worker worker(argument, nullptr);
      const int64_t end = std::min(matrix_count_, (part + 1) * per_part_);
      int64_t m = part * per_part_;
      m += worker.RunSome(m, end - m);
      for (; m < end; ++m) worker.Run(m).IgnoreError();  // cannot fail
    });
  }

 private:
  int64_t matrix_count_;
  int64_t per_part_ = 0;  // 0: parts of matrices
};

// A step as workers see it.
template <typename Form>
struct LinalgJob {
  Evaluation& e;
  const Form& form;
  std::atomic<bool> is_finite = true;  // whether all numbers on the way are, where that matters
};

// Runs the step of a prepared Form by a Worker for each matrix; by the reference kernel where some
// number is not finite and that matters.
template <typename Worker, typename Form>
absl::Status RunLinalg(Evaluation& e, Opcode opcode) {
  const Form& form = PreparedOf<Form>(e);
  if (e.result().element_count() == 0) return absl::OkStatus();
  LinalgJob<Form> job = {e, form};
  HLO_RETURN_IF_ERROR(form.parts.template ForEachMatrix<Worker>(e.device(), job));
  if (job.is_finite) return absl::OkStatus();
  return e.RunInstead(reference::FindKernel(opcode));
}

// The batch dimensions' sizes, multiplied: all but the last two.
inline int64_t MatrixCount(const Shape& shape) {
  int64_t count = 1;
  for (int64_t d = 0; d < shape.rank() - 2; ++d) count *= shape.dim(d);
  return count;
}

// function.operator()<T>() for the types that JAX factorizes; null for others.
template <typename Function>
const Kernel* FindLinalgKernel(ElementType type, Function function) {
  switch (type) {
    case ElementType::kF32:
      return function.template operator()<float>();
    case ElementType::kF64:
      return function.template operator()<double>();
    case ElementType::kC64:
      return function.template operator()<C64>();
    case ElementType::kC128:
      return function.template operator()<C128>();
    case ElementType::kBf16:
      return function.template operator()<Bf16>();
    case ElementType::kF16:
      return function.template operator()<F16>();
    default:  // one of many
      return nullptr;
  }
}

// function(part) for all parts, on the device's threads or, without a device, on this one.
inline absl::Status ForEachPartOf(const DeviceContext* device, int64_t part_count,
                                  absl::FunctionRef<void(int64_t part)> function) {
  if (device != nullptr) return ForEachPart(*device, part_count, function);
  for (int64_t part = 0; part < part_count; ++part) function(part);
  return absl::OkStatus();
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_LINALG_PARTS_H_
