// The plan's tree becomes a tree of sequences. Addresses are computed once: arena and constants
// when the executor is made, arguments at each Run, where only the references to them are patched.
// Run-time sizes of a dynamic slot have one place, which all references to the slot share.
#include "interp/executor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include <fmt/format.h>

#include "support/status_macros.h"

namespace hlo {
namespace {

class PlanExecutor;
class StepEvaluation;

struct BoundStep {
  Kernel kernel;
  StepEvaluation* evaluation;
};

struct BoundMove {
  ArrayRef from;
  MutableArrayRef to;
  int64_t* to_sizes;  // where the sizes of a dynamic slot are, else null
};

struct Sequence {
  std::vector<BoundStep> steps;
  std::vector<BoundMove> moves;  // after the steps
  std::vector<ArrayRef> results;
};

// A region called per element: arguments are copied in, results out.
class RegionFunction final : public ScalarFunction {
 public:
  RegionFunction(PlanExecutor& executor, const Module& module, const Region& region);

  absl::Status Call(std::span<const std::byte* const> arguments,
                    std::span<std::byte* const> results) override;
  Opcode AsBinaryOpcode() const override { return binary_opcode_; }
  int64_t AsParameter() const override { return parameter_; }

  // Computes the sizes that Call needs from what has been bound.
  void MeasureArrays();

  Sequence sequence;
  std::vector<MutableArrayRef> parameters;

 private:
  PlanExecutor& executor_;
  std::vector<size_t> parameter_byte_sizes_;
  std::vector<size_t> result_byte_sizes_;
  Opcode binary_opcode_ = Opcode::kParameter;
  int64_t parameter_ = -1;
};

// Everything a step needs at run time.
class StepEvaluation final : public Evaluation {
 public:
  StepEvaluation(PlanExecutor& executor, const Step& step, OpView op)
      : Evaluation(op), executor(executor), step(step) {}

  absl::Status SetResultDims(size_t i, std::span<const int64_t> dims) override;
  ScalarFunction& Function(Attr attr) override;
  DeviceContext& device() override;

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

  PlanExecutor& executor;
  const Step& step;
  std::vector<ArrayRef> operand_refs;
  std::vector<MutableArrayRef> result_refs;
  std::vector<DynamicResult> dynamic_results;
  std::vector<BoundMove> moves;          // kWhile: before the loop
  std::vector<Sequence> sequences;       // kWhile, kConditional: the regions
  std::deque<RegionFunction> functions;  // kKernel: the regions
};

struct FreeDeleter {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

class PlanExecutor final : public Executor {
 public:
  PlanExecutor(const Plan& plan, DeviceContext& device, StepObserver* observer)
      : plan_(plan), device_(device), observer_(observer) {}

  absl::Status Bind();
  absl::Status Run(std::span<const Literal> arguments) override;
  absl::StatusOr<Literal> Result() const override;
  InstructionId stopped_at() const override { return stopped_at_; }

  absl::Status RunSequence(const Sequence& sequence);
  absl::Status RunSteps(const Sequence& sequence);
  DeviceContext& device() { return device_; }

 private:
  absl::Status RunObservedSteps(const Sequence& sequence);
  absl::Status Stop(const BoundStep& step, absl::Status status);
  void BindSizes();
  void BindSequence(const Region& region, Sequence& sequence);
  BoundStep BindStep(const Step& step);
  void BindMoves(std::span<const Move> moves, std::vector<BoundMove>& bound);
  void BindFunction(const Region& region, StepEvaluation& evaluation);
  template <typename Byte>
  void BindRef(SlotId id, BasicArrayRef<Byte>& ref);
  template <typename Byte>
  void BindRefs(std::span<const SlotId> slots, std::vector<BasicArrayRef<Byte>>& refs);
  std::span<const int64_t> SizesOf(SlotId id) const;
  // Where the sizes of a dynamic slot are; null for static ones.
  int64_t* DynamicSizesOf(SlotId id);
  absl::Status TakeArgument(const Literal& literal, size_t& leaf);

  const Plan& plan_;
  DeviceContext& device_;
  StepObserver* observer_;
  std::unique_ptr<std::byte[], FreeDeleter> arena_;
  std::vector<int64_t> sizes_;       // of all dynamic slots, one behind the other
  std::vector<int64_t> first_size_;  // by slot: where its sizes begin, or -1
  std::deque<StepEvaluation> evaluations_;
  std::vector<std::vector<const std::byte**>> argument_uses_;  // by argument
  Sequence entry_;
  InstructionId stopped_at_;
};

void Perform(std::span<const BoundMove> moves) {
  for (const BoundMove& move : moves) {
    if (move.to_sizes != nullptr) {
      std::memcpy(move.to_sizes, move.from.dims.data(), move.from.dims.size_bytes());
    }
    if (move.to.bytes != move.from.bytes) {
      std::memcpy(move.to.bytes, move.from.bytes, static_cast<size_t>(move.from.byte_size()));
    }
  }
}

// --- Steps -------------------------------------------------------------------------------------

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
  return absl::InvalidArgumentError("the result has static sizes but its operands do not");
}

ScalarFunction& StepEvaluation::Function(Attr attr) {
  for (size_t i = 0; i < functions.size(); ++i) {
    if (step.regions[i]->attr == attr) return functions[i];
  }
  HLO_UNREACHABLE();
}

DeviceContext& StepEvaluation::device() { return executor.device(); }

absl::Status RunDynamic(Evaluation& e) {
  StepEvaluation& evaluation = static_cast<StepEvaluation&>(e);
  evaluation.ResetResultSizes();
  return evaluation.step.kernel(e);
}

absl::Status RunWhile(Evaluation& e) {
  StepEvaluation& evaluation = static_cast<StepEvaluation&>(e);
  const Sequence& condition = evaluation.sequences[0];
  const Sequence& body = evaluation.sequences[1];
  int64_t iterations_left = evaluation.device().max_iterations();
  Perform(evaluation.moves);
  while (true) {
    HLO_RETURN_IF_ERROR(evaluation.executor.RunSequence(condition));
    if (*condition.results[0].bytes == std::byte{0}) return absl::OkStatus();
    if (iterations_left-- == 0) {
      return absl::ResourceExhaustedError(fmt::format("the loop goes on after {} iterations",
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

// --- Functions ---------------------------------------------------------------------------------

bool IsCommutative(Opcode opcode) {
  constexpr Opcode kCommutative[] = {Opcode::kAdd, Opcode::kMultiply, Opcode::kAnd, Opcode::kOr,
                                     Opcode::kXor};
  return std::ranges::find(kCommutative, opcode) != std::end(kCommutative);
}

// The number of the parameter that `instruction` is (a copy of), or -1.
int64_t ParameterNumber(const Module& module, const Instruction& instruction) {
  const Instruction* source = &instruction;
  while (source->opcode == Opcode::kCopy) source = &module.operand(*source, 0);
  return source->opcode == Opcode::kParameter ? source->Get<Attr::kParameterNumber>() : -1;
}

// The opcode of a root that is just `opcode(param0, param1)` over scalars of one type.
Opcode BinaryOpcode(const Module& module, const Instruction& root) {
  const OpcodeInfo& info = GetOpcodeInfo(root.opcode);
  if (info.family != OpcodeFamily::kElementwise || !info.attributes.empty() ||
      root.operands.size() != 2) {
    return Opcode::kParameter;
  }
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = *module.operand(root, i).shape;
    if (!shape.IsScalar() || shape.element_type() != root.shape->element_type()) {
      return Opcode::kParameter;
    }
  }
  int64_t first = ParameterNumber(module, module.operand(root, 0));
  int64_t second = ParameterNumber(module, module.operand(root, 1));
  bool matches =
      (first == 0 && second == 1) || (first == 1 && second == 0 && IsCommutative(root.opcode));
  return matches ? root.opcode : Opcode::kParameter;
}

RegionFunction::RegionFunction(PlanExecutor& executor, const Module& module, const Region& region)
    : executor_(executor) {
  const Computation& computation = module.computation(region.computation);
  const Instruction& root = module.root(computation);
  parameter_ = ParameterNumber(module, root);
  if (computation.parameters.size() == 2) binary_opcode_ = BinaryOpcode(module, root);
}

// A copy whose usual sizes the compiler knows.
void CopyElement(std::byte* to, const std::byte* from, size_t byte_size) {
  if (byte_size == 4) {
    std::memcpy(to, from, 4);
  } else if (byte_size == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, byte_size);
  }
}

absl::Status RegionFunction::Call(std::span<const std::byte* const> arguments,
                                  std::span<std::byte* const> results) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    CopyElement(parameters[i].bytes, arguments[i], parameter_byte_sizes_[i]);
  }
  HLO_RETURN_IF_ERROR(executor_.RunSteps(sequence));
  for (size_t i = 0; i < sequence.results.size(); ++i) {
    CopyElement(results[i], sequence.results[i].bytes, result_byte_sizes_[i]);
  }
  return absl::OkStatus();
}

void RegionFunction::MeasureArrays() {
  for (const MutableArrayRef& array : parameters) {
    parameter_byte_sizes_.push_back(static_cast<size_t>(array.byte_size()));
  }
  for (const ArrayRef& array : sequence.results) {
    result_byte_sizes_.push_back(static_cast<size_t>(array.byte_size()));
  }
}

// --- Binding -----------------------------------------------------------------------------------

absl::Status PlanExecutor::Bind() {
  constexpr size_t kAlignment = 64;
  size_t byte_size = static_cast<size_t>(plan_.arena_byte_size()) + kAlignment;
  arena_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, byte_size)));
  if (arena_ == nullptr) {
    return absl::ResourceExhaustedError(
        fmt::format("{} bytes of memory are not to be had", byte_size));
  }
  argument_uses_.resize(static_cast<size_t>(plan_.argument_count()));
  BindSizes();
  BindSequence(plan_.entry(), entry_);
  return absl::OkStatus();
}

void PlanExecutor::BindSizes() {
  first_size_.assign(plan_.slots().size(), -1);
  for (size_t i = 0; i < plan_.slots().size(); ++i) {
    const Slot& slot = plan_.slots()[i];
    if (!slot.is_dynamic) continue;
    first_size_[i] = static_cast<int64_t>(sizes_.size());
    bool has_own_sizes = slot.literal != nullptr && !slot.literal->dynamic_sizes().empty();
    std::span<const int64_t> sizes =
        has_own_sizes ? slot.literal->dynamic_sizes() : slot.shape->dims();
    sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
  }
}

int64_t* PlanExecutor::DynamicSizesOf(SlotId id) {
  int64_t first = first_size_[id.value];
  return first < 0 ? nullptr : sizes_.data() + first;
}

std::span<const int64_t> PlanExecutor::SizesOf(SlotId id) const {
  std::span<const int64_t> bounds = plan_.slot(id).shape->dims();
  int64_t first = first_size_[id.value];
  return first < 0 ? bounds : std::span<const int64_t>(sizes_.data() + first, bounds.size());
}

// `ref` stays where it is from now on: those to arguments are remembered for patching.
template <typename Byte>
void PlanExecutor::BindRef(SlotId id, BasicArrayRef<Byte>& ref) {
  const Buffer& buffer = plan_.buffer(plan_.slot(id).buffer);
  ref.element_type = plan_.slot(id).shape->element_type();
  ref.dims = SizesOf(id);
  if (buffer.kind == Buffer::Kind::kArena) {
    ref.bytes = arena_.get() + buffer.offset;
  } else if constexpr (std::is_const_v<Byte>) {
    if (buffer.kind == Buffer::Kind::kConstant) {
      ref.bytes = buffer.constant;
    } else {
      argument_uses_[static_cast<size_t>(buffer.argument)].push_back(&ref.bytes);
    }
  }
}

template <typename Byte>
void PlanExecutor::BindRefs(std::span<const SlotId> slots, std::vector<BasicArrayRef<Byte>>& refs) {
  refs.resize(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) BindRef(slots[i], refs[i]);
}

void PlanExecutor::BindMoves(std::span<const Move> moves, std::vector<BoundMove>& bound) {
  bound.resize(moves.size());
  for (size_t i = 0; i < moves.size(); ++i) {
    BindRef(moves[i].from, bound[i].from);
    BindRef(moves[i].to, bound[i].to);
    bound[i].to_sizes = DynamicSizesOf(moves[i].to);
  }
}

void PlanExecutor::BindSequence(const Region& region, Sequence& sequence) {
  sequence.steps.reserve(region.steps.size());
  for (const Step& step : region.steps) sequence.steps.push_back(BindStep(step));
  BindMoves(region.moves, sequence.moves);
  BindRefs(region.results, sequence.results);
}

void PlanExecutor::BindFunction(const Region& region, StepEvaluation& evaluation) {
  RegionFunction& function = evaluation.functions.emplace_back(*this, plan_.module(), region);
  BindRefs(region.parameters, function.parameters);
  BindSequence(region, function.sequence);
  function.MeasureArrays();
}

BoundStep PlanExecutor::BindStep(const Step& step) {
  const Instruction& instruction = plan_.module().instruction(step.instruction);
  StepEvaluation& evaluation =
      evaluations_.emplace_back(*this, step, OpView(plan_.module(), instruction));
  BindRefs(step.operands, evaluation.operand_refs);
  BindRefs(step.results, evaluation.result_refs);
  evaluation.Publish();
  switch (step.kind) {
    case StepKind::kKernel:
      for (const auto& region : step.regions) BindFunction(*region, evaluation);
      for (size_t i = 0; i < step.results.size(); ++i) {
        if (int64_t* sizes = DynamicSizesOf(step.results[i])) {
          std::span<const int64_t> bounds = plan_.slot(step.results[i]).shape->dims();
          evaluation.dynamic_results.push_back({i, sizes, bounds});
        }
      }
      return {evaluation.dynamic_results.empty() ? step.kernel : RunDynamic, &evaluation};
    case StepKind::kWhile:
      BindMoves(step.moves, evaluation.moves);
      break;
    case StepKind::kConditional:
      break;
  }
  evaluation.sequences.resize(step.regions.size());
  for (size_t i = 0; i < step.regions.size(); ++i) {
    BindSequence(*step.regions[i], evaluation.sequences[i]);
  }
  return {step.kind == StepKind::kWhile ? RunWhile : RunConditional, &evaluation};
}

// --- Running -----------------------------------------------------------------------------------

absl::Status PlanExecutor::RunSequence(const Sequence& sequence) {
  HLO_RETURN_IF_ERROR(observer_ == nullptr ? RunSteps(sequence) : RunObservedSteps(sequence));
  Perform(sequence.moves);
  return absl::OkStatus();
}

absl::Status PlanExecutor::RunSteps(const Sequence& sequence) {
  for (const BoundStep& step : sequence.steps) {
    if (device_.is_interrupted()) [[unlikely]] {
      return Stop(step, absl::CancelledError("interrupted"));
    }
    absl::Status status = step.kernel(*step.evaluation);
    if (!status.ok()) [[unlikely]]
      return Stop(step, std::move(status));
  }
  return absl::OkStatus();
}

absl::Status PlanExecutor::RunObservedSteps(const Sequence& sequence) {
  for (const BoundStep& step : sequence.steps) {
    if (device_.is_interrupted()) return Stop(step, absl::CancelledError("interrupted"));
    observer_->BeforeStep(step.evaluation->step, *step.evaluation);
    absl::Status status = step.kernel(*step.evaluation);
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

absl::Status PlanExecutor::TakeArgument(const Literal& literal, size_t& leaf) {
  if (literal.shape().IsTuple()) {
    for (const Literal& element : literal.tuple_elements()) {
      HLO_RETURN_IF_ERROR(TakeArgument(element, leaf));
    }
    return absl::OkStatus();
  }
  if (!literal.shape().IsArray()) return absl::OkStatus();
  if (leaf >= argument_uses_.size() ||
      !Compatible(literal.shape(), *plan_.argument_shapes()[leaf])) {
    return absl::InvalidArgumentError(
        fmt::format("argument array {} is `{}`", leaf, ShapeText(literal.shape())));
  }
  for (const std::byte** use : argument_uses_[leaf]) *use = literal.bytes();
  if (int64_t* sizes = DynamicSizesOf(plan_.entry().parameters[leaf])) {
    std::span<const int64_t> given =
        literal.dynamic_sizes().empty() ? literal.shape().dims() : literal.dynamic_sizes();
    std::memcpy(sizes, given.data(), given.size_bytes());
  }
  ++leaf;
  return absl::OkStatus();
}

absl::Status PlanExecutor::Run(std::span<const Literal> arguments) {
  stopped_at_ = InstructionId();
  size_t leaf = 0;
  for (const Literal& argument : arguments) HLO_RETURN_IF_ERROR(TakeArgument(argument, leaf));
  if (leaf != argument_uses_.size()) {
    return absl::InvalidArgumentError(
        fmt::format("{} argument arrays for {} parameters", leaf, argument_uses_.size()));
  }
  return RunSequence(entry_);
}

absl::Status CopyOut(std::span<const ArrayRef> arrays, size_t& leaf, Literal& literal) {
  if (literal.shape().IsTuple()) {
    for (Literal& element : literal.tuple_elements()) {
      HLO_RETURN_IF_ERROR(CopyOut(arrays, leaf, element));
    }
    return absl::OkStatus();
  }
  if (!literal.shape().IsArray()) return absl::OkStatus();
  if (leaf >= arrays.size()) return absl::InternalError("the result has too few arrays");
  const ArrayRef& array = arrays[leaf++];
  if (array.byte_size() > literal.byte_size()) {
    return absl::InternalError("the result is larger than its shape");
  }
  std::memcpy(literal.bytes(), array.bytes, static_cast<size_t>(array.byte_size()));
  if (literal.shape().HasDynamicDim()) {
    literal.set_dynamic_sizes({array.dims.begin(), array.dims.end()});
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> PlanExecutor::Result() const {
  const Module& module = plan_.module();
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Zeros(*module.root(module.entry()).shape));
  size_t leaf = 0;
  HLO_RETURN_IF_ERROR(CopyOut(entry_.results, leaf, literal));
  return literal;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(const Plan& plan, DeviceContext& device,
                                                           StepObserver* observer) {
  auto executor = std::make_unique<PlanExecutor>(plan, device, observer);
  HLO_RETURN_IF_ERROR(executor->Bind());
  return executor;
}

}  // namespace hlo
