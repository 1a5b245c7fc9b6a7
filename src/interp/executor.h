// Runs a plan. An executor is a plan bound to memory: every step is a kernel and its ready-made
// Evaluation, and running is a loop over them.
#ifndef HLOKIT_INTERP_EXECUTOR_H_
#define HLOKIT_INTERP_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/kernel/device.h"
#include "interp/plan/plan.h"

namespace hlo {

// Is told of every step. For looking inside: tracing, profiles.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // `evaluation` has its operands and, after the step, its results. Kernels that work in place
  // have overwritten operands by then. Steps of functions called per element are not reported.
  virtual void BeforeStep(const Step& /*step*/, const Evaluation& /*evaluation*/) {}
  // `loop`, a step that has begun and not ended, asks its condition for the `iteration`-th time,
  // from 0.
  virtual void BeforeIteration(const Step& /*loop*/, int64_t /*iteration*/) {}
  virtual absl::Status AfterStep(const Step& /*step*/, const Evaluation& /*evaluation*/) {
    return absl::OkStatus();
  }
};

// Where a run is, for those who look from outside: it may have gone on meanwhile.
struct RunPosition {
  struct Loop {
    const Step* step = nullptr;
    int64_t iteration = 0;  // from 0
  };
  const Step* step = nullptr;  // that runs, or has run last; null: none has
  std::vector<Loop> loops;     // around it, outermost first
};

class Executor {
 public:
  // Takes the plan's memory. `plan` and `device` must outlive the executor. Fails with
  // kResourceExhausted when the memory is not to be had.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(const Plan& plan, DeviceContext& device,
                                                          StepObserver* observer = nullptr);
  virtual ~Executor() = default;

  // Runs the entry computation on literals of its parameters' shapes, which must stay alive until
  // Result() was called. Fails with kResourceExhausted when a kernel's memory is not to be had.
  virtual absl::Status RunOn(std::span<const Literal* const> arguments) = 0;
  // The same for literals that lie in one place.
  absl::Status Run(std::span<const Literal> arguments);

  // A copy of what the last run computed. Arrays that are arguments as they came, or parts of them,
  // are not copied where the plan lends arguments: they are to be looked at while those stand.
  virtual absl::StatusOr<Literal> Result() const = 0;

  // The instruction at which the last run failed or was interrupted; invalid if none.
  virtual InstructionId stopped_at() const = 0;

  // Where a run is that goes on in another thread.
  virtual RunPosition position() const = 0;
  // The instruction of that step, invalid if none has run; safe in a signal handler.
  virtual InstructionId running() const = 0;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_EXECUTOR_H_
