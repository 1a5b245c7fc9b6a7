// The parts of an executor: steps bound to memory, sequences of them, and functions called per
// element. Private to the executor's sources.
#ifndef HLOKIT_INTERP_PLAN_EXECUTOR_H_
#define HLOKIT_INTERP_PLAN_EXECUTOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "interp/executor.h"

namespace hlo {

class PlanExecutor;
class StepEvaluation;

struct BoundStep {
  StepEvaluation* evaluation;
  int64_t work;
};

// Of an array whose sizes are known at run time.
struct DynamicMove {
  ArrayRef from;
  int64_t* to_sizes;
};
// Small: loops and conditionals may have hundreds.
struct BoundMove {
  const std::byte* from;
  std::byte* to;
  size_t byte_size;  // where sizes are static
  const DynamicMove* dynamic;
};

// Where the address of an argument, or of a part of it, is wanted.
struct ArgumentUse {
  const std::byte** bytes;
  int64_t offset;  // of the part, in bytes
};
struct ArgumentUses {
  std::vector<ArgumentUse> uses;
  const std::byte* bytes = nullptr;  // the address that they have
};

struct Sequence {
  std::vector<BoundStep> steps;
  std::vector<BoundMove> moves;  // after the steps
  int64_t move_work = 0;
  std::vector<ArrayRef> results;
};

// A region called per element: arguments are copied in, results out.
class RegionFunction final : public ScalarFunction {
 public:
  RegionFunction(PlanExecutor& executor, const Region& region)
      : executor_(executor), region_(region) {}

  absl::Status Call(std::span<const std::byte* const> arguments,
                    std::span<std::byte* const> results) override;
  const FunctionForm& form() const override { return region_.form; }

  // Computes the sizes that Call needs from what has been bound.
  void MeasureArrays();

  Sequence sequence;
  std::vector<MutableArrayRef> parameters;

 private:
  PlanExecutor& executor_;
  const Region& region_;
  std::vector<size_t> parameter_byte_sizes_;
  std::vector<size_t> result_byte_sizes_;
};

// Everything a step needs at run time.
class StepEvaluation final : public Evaluation {
 public:
  StepEvaluation(PlanExecutor& executor, const Step& step, OpView op);

  absl::Status SetResultDims(size_t i, std::span<const int64_t> dims) override;
  ScalarFunction& Function(Attr attr) override;
  DeviceContext& device() override;
  absl::Status RunInstead(const Kernel& kernel) override;
  absl::StatusOr<KernelState*> PreparedInstead(const Kernel& kernel);

  bool IsFixed(size_t i) const override;
  bool MayMove(size_t i) const override;
  void SetProgram(const StepProgram* program) { program_ = program; }

  // Asks memory for this; when it has come, for the state.
  void Fetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&run);
  }
  void FetchState() const { __builtin_prefetch(state_); }

  // Calls the kernel's `prepare`.
  absl::Status Prepare();
  // Lets the next run do so again.
  void ForgetPrepared();
  // What runs the step when that is done.
  RunKernel PreparedRun() const;

  // Points the base class at what is bound below.
  void Publish() {
    operands_ = operand_refs;
    results_ = result_refs;
  }
  // Results of dynamic shape start with their bounds.
  void ResetResultSizes() {
    for (const DynamicResult& result : dynamic_results) {
      std::memcpy(result.sizes, result.bounds.data(), result.bounds.size_bytes());
    }
  }

  struct DynamicResult {
    size_t index;
    int64_t* sizes;
    std::span<const int64_t> bounds;
  };

  RunKernel run = nullptr;  // what a run of the step calls next
  PlanExecutor& executor;
  const Step& step;
  std::vector<ArrayRef> operand_refs;
  std::vector<MutableArrayRef> result_refs;
  std::vector<DynamicResult> dynamic_results;
  std::vector<BoundMove> moves;     // kWhile: before the loop
  std::vector<Sequence> sequences;  // kWhile, kConditional: the regions
  // kWhile: those that prepare anew when it begins (Step::kept_loop).
  std::vector<StepEvaluation*> kept_steps;
  std::deque<RegionFunction> functions;  // kKernel: the regions
  std::unique_ptr<KernelState> prepared;
  // What RunInstead runs, which may leave the run to another kernel in its turn.
  struct Instead {
    const Kernel* kernel;
    std::unique_ptr<KernelState> state;
  };
  std::vector<Instead> instead;
  std::atomic<int64_t> iteration = 0;  // kWhile: that it is in
};

struct FreeDeleter {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

class PlanExecutor final : public Executor {
 public:
  PlanExecutor(const Plan& plan, DeviceContext& device, StepObserver* observer)
      : plan_(plan), device_(device), observer_(observer) {}

  absl::Status Bind();
  absl::Status RunOn(std::span<const Literal* const> arguments) override;
  absl::StatusOr<Literal> Result() const override;
  InstructionId stopped_at() const override { return stopped_at_; }
  RunPosition position() const override;
  InstructionId running() const override;

  absl::Status RunSequence(const Sequence& sequence);
  absl::Status RunSteps(const Sequence& sequence);
  void BeginIteration(StepEvaluation& loop, int64_t iteration) {
    loop.iteration.store(iteration, std::memory_order_relaxed);
    if (observer_ != nullptr) observer_->BeforeIteration(loop.step, iteration);
  }
  bool is_observed() const { return observer_ != nullptr; }
  DeviceContext& device() { return device_; }
  const Plan& plan() const { return plan_; }
  const uint64_t& placement() const { return placement_; }

  // Takes `work` off what the run may still do; whether that was enough. What a step is about to do
  // counts, so that none begins that would take too long.
  bool Spend(int64_t work) { return !has_work_limit_ || (work_left_ -= work) >= 0; }
  absl::Status OutOfWork() const;

 private:
  absl::Status RunObservedSteps(const Sequence& sequence);
  absl::Status Stop(const BoundStep& step, absl::Status status);
  // For those who ask where the run is.
  void Enter(const BoundStep& step) { running_.store(step.evaluation, std::memory_order_relaxed); }
  void BindSizes();
  void BindSequence(const Region& region, Sequence& sequence);
  BoundStep BindStep(const Step& step);
  void BindMoves(std::span<const Move> moves, std::vector<BoundMove>& bound);
  void BindFunction(const Region& region, StepEvaluation& evaluation);
  // Sets `bytes`, now or whenever an argument comes.
  template <typename Byte>
  void BindAddress(SlotId id, Byte*& bytes);
  template <typename Byte>
  void BindRef(SlotId id, BasicArrayRef<Byte>& ref);
  template <typename Byte>
  void BindRefs(std::span<const SlotId> slots, std::vector<BasicArrayRef<Byte>>& refs);
  std::span<const int64_t> SizesOf(SlotId id) const;
  // Where the sizes of a dynamic slot are; null for static ones.
  int64_t* DynamicSizesOf(SlotId id);
  // `leaf` counts the arrays of all arguments.
  absl::Status TakeArgument(const Literal& argument, size_t& leaf);
  absl::Status TakeArray(const Literal& literal, size_t& leaf);
  // Array `leaf` of the result; `shape` is what the root calls it.
  absl::StatusOr<Literal> ResultArray(size_t leaf, const Shape& shape) const;

  const Plan& plan_;
  DeviceContext& device_;
  StepObserver* observer_;
  std::unique_ptr<std::byte[], FreeDeleter> arena_;
  std::vector<int64_t> sizes_;       // of all dynamic slots, one behind the other
  std::vector<int64_t> first_size_;  // by slot: where its sizes begin, or -1
  std::deque<StepEvaluation> evaluations_;
  std::deque<DynamicMove> dynamic_moves_;
  std::vector<ArgumentUses> argument_uses_;  // by argument
  uint64_t placement_ = 1;                   // Evaluation::placement
  Sequence entry_;
  InstructionId stopped_at_;
  std::atomic<const StepEvaluation*> running_ = nullptr;
  std::vector<const StepEvaluation*> loops_;  // outer before inner
  std::vector<StepEvaluation*> open_loops_;   // while steps are bound: those around them
  bool has_work_limit_ = false;
  int64_t work_left_ = 0;
};

// What runs steps with sequences, steps with results of dynamic shape, and for the first time steps
// whose kernel prepares.
absl::Status RunWhile(Evaluation& e);
absl::Status RunConditional(Evaluation& e);
absl::Status RunDynamic(Evaluation& e);
absl::Status PrepareAndRun(Evaluation& e);

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_EXECUTOR_H_
