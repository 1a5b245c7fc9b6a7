// The plan's tree becomes a tree of sequences, and running is a loop over their steps.
#include "interp/executor.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "absl/cleanup/cleanup.h"
#include "interp/plan_executor.h"
#include "ir/leaves.h"
#include "ir/run_time_dims.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

void Perform(std::span<const BoundMove> moves) {
  for (const BoundMove& move : moves) {
    size_t byte_size = move.byte_size;
    if (move.dynamic != nullptr) [[unlikely]] {
      const auto& [from, to_sizes] = *move.dynamic;
      std::memcpy(to_sizes, from.dims.data(), from.dims.size_bytes());
      byte_size = static_cast<size_t>(from.byte_size());
    }
    if (move.to == move.from) continue;
    // Scalars that loops carry are not worth a call.
    switch (byte_size) {
      case 1:
        *move.to = *move.from;
        break;
      case sizeof(uint32_t):
        std::memcpy(move.to, move.from, sizeof(uint32_t));
        break;
      case sizeof(uint64_t):
        std::memcpy(move.to, move.from, sizeof(uint64_t));
        break;
      default:
        std::memcpy(move.to, move.from, byte_size);
    }
  }
}

// A result that is written static and turned out smaller has the written sizes as its bounds
// (semantics.md 13).
Shape WithDynamicDims(Shape shape, std::span<const int64_t> sizes) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (sizes[static_cast<size_t>(d)] != shape.dim(d)) shape.set_dynamic(d, true);
  }
  return shape;
}

}  // namespace

// --- Steps -------------------------------------------------------------------------------------

StepEvaluation::StepEvaluation(PlanExecutor& executor, const Step& step, OpView op)
    : Evaluation(op), executor(executor), step(step) {
  placement_ = &executor.placement();
}

absl::Status StepEvaluation::SetResultDims(size_t i, std::span<const int64_t> dims) {
  for (const DynamicResult& result : dynamic_results) {
    if (result.index != i) continue;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] < 0 || dims[d] > result.bounds[d]) {
        return absl::InvalidArgumentError(
            fmt::format("size {} of dimension {} is not in 0 to {}", dims[d], d, result.bounds[d]));
      }
    }
    std::memcpy(result.sizes, dims.data(), dims.size_bytes());
    return absl::OkStatus();
  }
  if (std::ranges::equal(dims, results_[i].dims)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("its operands give the sizes [{}], its result is written with [{}]",
                  fmt::join(dims, ","), fmt::join(results_[i].dims, ",")));
}

ScalarFunction& StepEvaluation::Function(Attr attr) {
  for (size_t i = 0; i < functions.size(); ++i) {
    if (step.regions[i]->attr == attr) return functions[i];
  }
  HLO_UNREACHABLE();
}

bool StepEvaluation::IsFixed(size_t i) const {
  return executor.plan().is_fixed(step.operands[i], step.kept_loop);
}

bool StepEvaluation::MayMove(size_t i) const {
  return executor.plan().buffer_of(step.operands[i]).kind == Buffer::Kind::kArgument;
}

DeviceContext& StepEvaluation::device() { return executor.device(); }

absl::StatusOr<KernelState*> StepEvaluation::PreparedInstead(const Kernel& kernel) {
  if (kernel.prepare == nullptr) return nullptr;
  const auto found = std::ranges::find(instead, &kernel, &Instead::kernel);
  if (found != instead.end()) return found->state.get();
  HLO_ASSIGN_OR_RETURN(std::unique_ptr<KernelState> state, kernel.prepare(*this));
  instead.push_back({&kernel, std::move(state)});
  return instead.back().state.get();
}

absl::Status StepEvaluation::RunInstead(const Kernel& kernel) {
  HLO_ASSIGN_OR_RETURN(KernelState * state, PreparedInstead(kernel));
  // Also where memory is short, and the kernel throws.
  const absl::Cleanup restore = [this, own = std::exchange(state_, state)] { state_ = own; };
  return kernel.run(*this);
}

absl::Status RunDynamic(Evaluation& e) {
  StepEvaluation& evaluation = static_cast<StepEvaluation&>(e);
  evaluation.ResetResultSizes();
  return evaluation.step.kernel->run(e);
}

absl::Status StepEvaluation::Prepare() {
  HLO_ASSIGN_OR_RETURN(prepared, step.kernel->prepare(*this));
  state_ = prepared.get();
  return absl::OkStatus();
}

void StepEvaluation::ForgetPrepared() {
  if (prepared == nullptr) return;
  prepared = nullptr;
  state_ = nullptr;
  instead.clear();
  run = PrepareAndRun;
}

RunKernel StepEvaluation::PreparedRun() const {
  return dynamic_results.empty() ? step.kernel->run : RunDynamic;
}

// Not before the step is reached: programs may hold what they never run and nobody can prepare.
absl::Status PrepareAndRun(Evaluation& e) {
  StepEvaluation& evaluation = static_cast<StepEvaluation&>(e);
  HLO_RETURN_IF_ERROR(evaluation.Prepare());
  evaluation.run = evaluation.PreparedRun();
  return evaluation.run(e);
}

namespace {

// Whether the body of the loop is to run another time. Who watches sees the condition, too.
absl::StatusOr<bool> GoesOn(StepEvaluation& loop, int64_t iteration) {
  const Step& step = loop.step;
  const bool only_counts = step.trip_count && step.regions[0]->steps.size() == 1;
  if (only_counts && !loop.executor.is_observed()) return iteration < *step.trip_count;
  const Sequence& condition = loop.sequences[0];
  HLO_RETURN_IF_ERROR(loop.executor.RunSequence(condition));
  return *condition.results[0].bytes != std::byte{0};
}

}  // namespace

absl::Status RunWhile(Evaluation& e) {
  StepEvaluation& evaluation = static_cast<StepEvaluation&>(e);
  const Sequence& body = evaluation.sequences[1];
  int64_t iterations_left = evaluation.device().max_iterations();
  Perform(evaluation.moves);
  for (StepEvaluation* step : evaluation.kept_steps) step->ForgetPrepared();
  for (int64_t iteration = 0;; ++iteration) {
    evaluation.executor.BeginIteration(evaluation, iteration);
    // A loop without steps of its own would never notice.
    if (evaluation.device().is_interrupted()) return absl::CancelledError("interrupted");
    if (!evaluation.executor.Spend(1)) return evaluation.executor.OutOfWork();
    HLO_ASSIGN_OR_RETURN(const bool goes_on, GoesOn(evaluation, iteration));
    if (!goes_on) return absl::OkStatus();
    if (iterations_left-- == 0) {
      return absl::AbortedError(fmt::format("the loop goes on after {} iterations",
                                            evaluation.device().max_iterations()));
    }
    HLO_RETURN_IF_ERROR(evaluation.executor.RunSequence(body));
  }
}

// pred: true takes the first branch; s32: anything out of range takes the last (semantics.md 15.3).
absl::Status RunConditional(Evaluation& e) {
  StepEvaluation& evaluation = static_cast<StepEvaluation&>(e);
  const ArrayRef& selector = e.operand(0);
  int64_t last = static_cast<int64_t>(evaluation.sequences.size()) - 1;
  int64_t branch = last;
  if (selector.element_type == ElementType::kPred) {
    branch = *selector.bytes != std::byte{0} ? 0 : 1;
  } else {
    branch = *reinterpret_cast<const int32_t*>(selector.bytes);
  }
  if (branch < 0 || branch > last) branch = last;
  return evaluation.executor.RunSequence(evaluation.sequences[static_cast<size_t>(branch)]);
}

// --- Running -----------------------------------------------------------------------------------

absl::Status PlanExecutor::OutOfWork() const {
  return absl::AbortedError(
      fmt::format("the run takes more than the {} element operations it may", device_.max_work()));
}

absl::Status PlanExecutor::RunSequence(const Sequence& sequence) {
  HLO_RETURN_IF_ERROR(observer_ == nullptr ? RunSteps(sequence) : RunObservedSteps(sequence));
  if (!Spend(sequence.move_work)) return OutOfWork();
  Perform(sequence.moves);
  return absl::OkStatus();
}

namespace {

// The standard library throws where memory is short, and kernels let it: here, where all of them
// are called, that becomes an error like others.
absl::Status CallKernel(const BoundStep& step) {
  try {
    return step.evaluation->run(*step.evaluation);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory for what it needs besides its arrays");
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError("it needs more than 2^63 - 1 bytes besides its arrays");
  }
}

// Asks for what the steps behind step i begin with: most are done before memory would answer.
void FetchNext(std::span<const BoundStep> steps, size_t i) {
  const size_t last = steps.size() - 1;
  steps[std::min(i + 1, last)].evaluation->FetchState();
  steps[std::min(i + 2, last)].evaluation->Fetch();
}

}  // namespace

absl::Status PlanExecutor::RunSteps(const Sequence& sequence) {
  const std::span<const BoundStep> steps = sequence.steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const BoundStep& step = steps[i];
    FetchNext(steps, i);
    if (device_.is_interrupted()) [[unlikely]] {
      return Stop(step, absl::CancelledError("interrupted"));
    }
    if (!Spend(step.work)) [[unlikely]]
      return Stop(step, OutOfWork());
    Enter(step);
    absl::Status status = CallKernel(step);
    if (!status.ok()) [[unlikely]]
      return Stop(step, std::move(status));
  }
  return absl::OkStatus();
}

absl::Status PlanExecutor::RunObservedSteps(const Sequence& sequence) {
  for (const BoundStep& step : sequence.steps) {
    if (device_.is_interrupted()) return Stop(step, absl::CancelledError("interrupted"));
    if (!Spend(step.work)) return Stop(step, OutOfWork());
    Enter(step);
    observer_->BeforeStep(step.evaluation->step, *step.evaluation);
    absl::Status status = CallKernel(step);
    if (status.ok()) status = observer_->AfterStep(step.evaluation->step, *step.evaluation);
    if (!status.ok()) return Stop(step, std::move(status));
  }
  return absl::OkStatus();
}

// The innermost step is the one to name.
absl::Status PlanExecutor::Stop(const BoundStep& step, absl::Status status) {
  if (!stopped_at_.valid()) stopped_at_ = step.evaluation->step.instruction;
  return status;
}

InstructionId PlanExecutor::running() const {
  const StepEvaluation* running = running_.load(std::memory_order_relaxed);
  return running == nullptr ? InstructionId() : running->step.instruction;
}

RunPosition PlanExecutor::position() const {
  RunPosition position;
  const StepEvaluation* running = running_.load(std::memory_order_relaxed);
  if (running == nullptr) return position;
  position.step = &running->step;
  for (const StepEvaluation* loop : loops_) {
    if (loop->step.begin > position.step->begin || position.step->begin > loop->step.end) continue;
    position.loops.push_back({&loop->step, loop->iteration.load(std::memory_order_relaxed)});
  }
  return position;
}

absl::Status PlanExecutor::TakeArgument(const Literal& argument, size_t& leaf) {
  absl::Status status;
  ForEachLeaf(argument, [&](const Literal& array) {
    status = TakeArray(array, leaf);
    return status.ok();
  });
  return status;
}

absl::Status PlanExecutor::TakeArray(const Literal& literal, size_t& leaf) {
  if (!literal.shape().IsArray()) return absl::OkStatus();
  if (leaf >= argument_uses_.size() || !Compatible(literal.shape(), *plan_.argument_shapes[leaf])) {
    return absl::InvalidArgumentError(
        fmt::format("argument array {} is `{}`", leaf, ShapeText(literal.shape())));
  }
  ArgumentUses& uses = argument_uses_[leaf];
  if (uses.bytes != literal.bytes()) {
    uses.bytes = literal.bytes();
    ++placement_;
    for (const ArgumentUse& use : uses.uses) *use.bytes = uses.bytes + use.offset;
  }
  if (int64_t* sizes = DynamicSizesOf(plan_.entry->parameters[leaf])) {
    std::span<const int64_t> given = RunTimeDims(literal);
    std::memcpy(sizes, given.data(), given.size_bytes());
  }
  ++leaf;
  return absl::OkStatus();
}

absl::Status Executor::Run(std::span<const Literal> arguments) {
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  return RunOn(pointers);
}

absl::Status PlanExecutor::RunOn(std::span<const Literal* const> arguments) {
  stopped_at_ = InstructionId();
  has_work_limit_ = device_.max_work() >= 0;
  work_left_ = device_.max_work();
  size_t leaf = 0;
  for (const Literal* argument : arguments) HLO_RETURN_IF_ERROR(TakeArgument(*argument, leaf));
  if (leaf != argument_uses_.size()) {
    return absl::InvalidArgumentError(
        fmt::format("{} argument arrays for {} parameters", leaf, argument_uses_.size()));
  }
  return RunSequence(entry_);
}

absl::StatusOr<Literal> PlanExecutor::Result() const {
  const Module& module = *plan_.module;
  device_.scratch().MakeRoom(CopiedByteSize(plan_));
  size_t leaf = 0;
  return LiteralOfLeaves(*module.root(module.entry()).shape, [&](const Shape& shape) {
    return shape.IsArray() ? ResultArray(leaf++, shape) : Literal::Zeros(shape);
  });
}

absl::StatusOr<Literal> PlanExecutor::ResultArray(size_t leaf, const Shape& shape) const {
  if (leaf >= entry_.results.size()) {
    return absl::InternalError("the result has too few arrays");
  }
  const ArrayRef& array = entry_.results[leaf];
  if (plan_.is_lent(plan_.entry->results[leaf]) && !shape.HasDynamicDim()) {
    return Literal::Borrowed(shape, array.bytes);
  }
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Zeros(shape));
  if (array.byte_size() > literal.byte_size()) {
    return absl::InternalError("the result is larger than its shape");
  }
  std::memcpy(literal.bytes(), array.bytes, static_cast<size_t>(array.byte_size()));
  if (shape.HasDynamicDim() || !std::ranges::equal(array.dims, shape.dims())) {
    literal.set_shape(WithDynamicDims(shape, array.dims));
    literal.set_dynamic_sizes({array.dims.begin(), array.dims.end()});
  }
  return literal;
}

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(const Plan& plan, DeviceContext& device,
                                                           StepObserver* observer) {
  auto executor = std::make_unique<PlanExecutor>(plan, device, observer);
  HLO_RETURN_IF_ERROR(executor->Bind());
  return executor;
}

}  // namespace hlo
