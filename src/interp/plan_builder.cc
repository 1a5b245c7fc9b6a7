// One pass over the instructions that run, following calls. A value is never looked at: it is the
// list of slots its leaves lie in. `position_` counts steps; the lifetime of a buffer is the range
// of positions from its definition to its last reader, stretched to the end of every loop that
// reads it from outside its definition.
#include "interp/plan_builder.h"

#include <algorithm>
#include <utility>

#include "interp/buffer_plan.h"
#include "ir/called_computations.h"
#include "support/checked_math.h"

namespace hlo {
namespace {

constexpr int kMaxCallDepth = 500;
// Far above what programs have; planning so many takes less than a second.
constexpr int64_t kMaxInstructions = 2'000'000;
constexpr int64_t kMaxLeaves = 50'000'000;
// What an executor keeps of a step, about.
constexpr int64_t kExecutorByteSize = 512;

// The bytes of all arrays in `shape`, INT64_MAX where that leaves 63 bits.
int64_t DenseByteSizeOfLeaves(const Shape& shape) {
  int64_t total = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    const int64_t byte_size = leaf.IsArray() ? DenseByteSize(leaf).value_or(INT64_MAX) : 0;
    total = CheckedAdd(total, byte_size).value_or(INT64_MAX);
    return true;
  });
  return total;
}

// Whether run-time sizes may differ from what the text of `instruction` says: sizes travel with the
// values, also into results that are written static (semantics.md 13).
bool MayHideSizes(const Module& module, const Instruction& instruction) {
  const Shape& result = *instruction.shape;
  if (!result.IsArray() || result.rank() == 0 || result.HasDynamicDim()) return false;
  if (instruction.opcode == Opcode::kSetDimensionSize) return true;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Shape& operand = *module.operand(instruction, i).shape;
    if (operand.IsArray() && operand.HasDynamicDim()) return true;
  }
  return false;
}

bool HasRowMajorBytes(const Shape& shape) {
  const std::optional<Layout>& layout = shape.layout();
  ElementType type = shape.element_type();
  return (!layout || (layout->IsDefault() && layout->tiles.empty())) &&
         BitWidth(type) == 8 * ElementByteSize(type);
}

}  // namespace

PlanBuilder::PlanBuilder(const Module& module, DiagnosticSink& sink, const PlanOptions& options)
    : module_(module),
      sink_(sink),
      scheduler_(module, sink),
      values_(module.instructions().size()),
      max_byte_size_(options.max_byte_size) {
  plan_.module_ = &module;
  plan_.backend_ = options.backend != nullptr ? options.backend : &Backends().front();
  hides_sizes_ = std::ranges::any_of(module.instructions(), [&](const Instruction& instruction) {
    return MayHideSizes(module, instruction);
  });
}

std::optional<Plan> PlanBuilder::Build() {
  plan_.entry_ = OpenRegion(Region::Role::kEntry, module_.entry_id());
  region_ = plan_.entry_.get();
  std::vector<Value> arguments;
  for (InstructionId id : module_.entry().parameters) {
    current_ = &module_.instruction(id);
    std::vector<SlotId> slots;
    bool ok = ForEachLeaf(*current_->shape, [&](const Shape& leaf) {
      slots.emplace_back();
      const Shape& shape = ArrayShapeOf(leaf);
      if (!shape.IsArray()) return true;
      std::optional<SlotId> slot = NewSlot(Buffer::Kind::kArgument, shape);
      if (!slot) return false;
      slots.back() = *slot;
      Buffer& buffer = plan_.buffers_[plan_.slot(*slot).buffer.value];
      buffer.argument = plan_.argument_count();
      if (!AddTo(plan_.argument_byte_size_, buffer.byte_size)) return false;
      plan_.argument_shapes_.push_back(&shape);
      plan_.entry_->parameters.push_back(*slot);
      return true;
    });
    if (!ok) return std::nullopt;
    arguments.push_back(KeepValue(slots));
  }
  std::optional<Value> root =
      BuildComputation(module_.entry_id(), arguments, module_.entry().name_range);
  if (!root || !CloseRegion(*plan_.entry_, *root)) return std::nullopt;
  CountScratch(DenseByteSizeOfLeaves(*module_.root(module_.entry()).shape), InstructionId());
  return std::move(plan_);
}

std::optional<PlanBuilder::Value> PlanBuilder::BuildComputation(ComputationId id,
                                                                std::span<const Value> arguments,
                                                                SourceRange caller) {
  const Computation& computation = module_.computation(id);
  if (call_depth_ >= kMaxCallDepth) {
    return sink_.Error("run.call-depth", caller, "calls nest deeper than {}", kMaxCallDepth);
  }
  std::optional<std::span<const InstructionId>> order = scheduler_.Order(id);
  if (!order) return std::nullopt;
  ++call_depth_;
  arguments_.push_back(arguments);
  bool ok = true;
  for (size_t i = 0; ok && i < order->size(); ++i) {
    ok = BuildInstruction(module_.instruction((*order)[i]));
  }
  arguments_.pop_back();
  --call_depth_;
  if (!ok) return std::nullopt;
  return values_[computation.root.value];
}

// Calls are expanded: a short text can ask for a plan without end.
bool PlanBuilder::FitsLimits(const Instruction& instruction) {
  ++instruction_count_;
  leaf_count_ += instruction.shape->LeafCount();
  if (instruction_count_ > kMaxInstructions) {
    return sink_.Error("run.plan-size", instruction.opcode_range,
                       "the calls of the program unfold to more than {} instructions",
                       kMaxInstructions);
  }
  if (leaf_count_ > kMaxLeaves) {
    return sink_.Error("run.plan-size", instruction.opcode_range,
                       "the tuples of the program unfold to more than {} arrays", kMaxLeaves);
  }
  const int64_t byte_size =
      static_cast<int64_t>(plan_.buffers_.size() * sizeof(Buffer) +
                           plan_.slots_.size() * sizeof(Slot)) +
      plan_.step_count_ * (static_cast<int64_t>(sizeof(Step)) + kExecutorByteSize) +
      leaf_count_ * static_cast<int64_t>(sizeof(SlotId));
  if (byte_size <= max_byte_size_) return true;
  return sink_.Error("run.memory", instruction.opcode_range,
                     "the plan of the program takes more than {} bytes, the limit of a run",
                     max_byte_size_);
}

bool PlanBuilder::BuildInstruction(const Instruction& instruction) {
  current_ = &instruction;
  if (!FitsLimits(instruction)) return false;
  switch (instruction.opcode) {
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...) \
  case Opcode::k##Name:                                           \
    if constexpr (((traits)&kRouted) != 0) {                      \
      return Route##Name(instruction);                            \
    } else {                                                      \
      return BuildKernel(instruction);                            \
    }
#include "ir/opcodes.def"
  }
  HLO_UNREACHABLE();
}

// A custom call that brings its own meaning as a computation over its operands (composites, traced
// library functions) runs that computation.
bool HasBodyOverOperands(const Module& module, const Instruction& instruction) {
  const ComputationId* body = instruction.attributes.GetIf<Attr::kToApply>();
  if (instruction.opcode != Opcode::kCustomCall || body == nullptr) return false;
  const std::vector<InstructionId>& parameters = module.computation(*body).parameters;
  if (parameters.size() != instruction.operands.size()) return false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!Compatible(*module.instruction(parameters[i]).shape,
                    *module.operand(instruction, i).shape)) {
      return false;
    }
  }
  return true;
}

// Whether all arrays among the operands are there: not those of an asynchronous operation that has
// not started.
bool PlanBuilder::HasOperands(const Instruction& instruction) const {
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (!IsComplete(*module_.operand(instruction, i).shape, operand_value(instruction, i))) {
      return false;
    }
  }
  return true;
}

bool PlanBuilder::BuildKernel(const Instruction& instruction) {
  if (!HasOperands(instruction)) return Mismatch(instruction);
  if (IsView(instruction)) {
    SlotId view = ViewOf(operand_value(instruction, 0)[0], instruction.shape);
    return SetValue(instruction, KeepValue(std::span(&view, 1)));
  }
  if (HasBodyOverOperands(module_, instruction)) {
    return RouteCalled(instruction, instruction.Get<Attr::kToApply>());
  }
  if (MakesNoElements(instruction)) return SetValue(instruction, NewValue(*instruction.shape));
  Step step;
  step.instruction = module_.id_of(instruction);
  step.kernel = SelectKernel(*plan_.backend_, OpView(module_, instruction));
  step.work = KernelWork(OpView(module_, instruction));
  CountScratch(ScratchByteSize(*plan_.backend_, OpView(module_, instruction)), step.instruction);
  step.operands = OperandArrays(instruction);
  if (!AlignOperands(instruction, step)) return false;
  size_t loop_count = LoopsAround(instruction, step);
  if (loop_count < open_loops_.size()) return BuildHoistedStep(instruction, step, loop_count);
  const std::optional<Value> value = BuildStep(instruction, step);
  if (!value) return false;
  region_->steps.push_back(std::move(step));
  return SetValue(instruction, value);
}

// Kernels run one after the other.
void PlanBuilder::CountScratch(int64_t byte_size, InstructionId instruction) {
  if (byte_size <= plan_.scratch_byte_size_) return;
  plan_.scratch_byte_size_ = byte_size;
  plan_.scratch_instruction_ = instruction;
}

// Arrays without elements are there without a step: no kernel meets a dimension of 2^63 - 1 beside
// one of 0. Calls and what other devices or the host see stay.
bool PlanBuilder::MakesNoElements(const Instruction& instruction) const {
  const OpcodeInfo& info = GetOpcodeInfo(instruction.opcode);
  if ((info.traits & (kSideEffect | kStateful)) != 0 || instruction.opcode == Opcode::kCustomCall ||
      info.family == OpcodeFamily::kCollective || instruction.shape->HasDynamicDim()) {
    return false;
  }
  bool has_array = false;
  const bool is_empty = ForEachLeaf(*instruction.shape, [&](const Shape& leaf) {
    has_array |= leaf.IsArray();
    return leaf.IsArray() && ElementCount(leaf).value_or(1) == 0;
  });
  return has_array && is_empty;
}

bool PlanBuilder::IsComplete(const Shape& shape, Value value) const {
  size_t leaf = 0;
  return ForEachLeaf(shape, [&](const Shape& part) {
    return value[leaf++].valid() || !ArrayShapeOf(part).IsArray();
  });
}

// Gives `step` its functions, results and positions, and returns the results.
std::optional<PlanBuilder::Value> PlanBuilder::BuildStep(const Instruction& instruction,
                                                         Step& step) {
  step.begin = position_++;
  if (!BuildFunctions(instruction, step)) return std::nullopt;
  current_ = &instruction;
  step.end = step.regions.empty() ? step.begin : position_++;
  for (SlotId operand : step.operands) Read(operand, step.end);
  std::optional<Value> value = NewValue(KernelResult(instruction));
  if (!value) return std::nullopt;
  step.results = ArraysOf(*value);
  if (TakesSizesAtRunTime(instruction, step)) MarkDynamic(step.results);
  for (SlotId result : step.results) {
    Buffer& buffer = plan_.buffers_[plan_.slot(result).buffer.value];
    buffer.first = step.begin;
    buffer.last = step.end;
  }
  ++plan_.step_count_;
  return value;
}

// Every computation the kernel calls becomes a region with its parameters in memory of its own.
bool PlanBuilder::BuildFunctions(const Instruction& instruction, Step& step) {
  Region* outer = region_;
  size_t outer_floor = std::exchange(hoist_floor_, open_loops_.size());
  bool ok = true;
  ForEachCalledComputation(instruction, [&](Attr attr, ComputationId id) {
    if (!ok) return;
    std::unique_ptr<Region> region = OpenRegion(Region::Role::kFunction, id);
    region->attr = attr;
    const Computation& function = module_.computation(id);
    std::vector<Value> arguments;
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      std::optional<Value> value = NewValue(FunctionParameter(instruction, attr, function, i));
      if (!(ok = value.has_value())) return;
      arguments.push_back(*value);
      for (SlotId slot : ArraysOf(*value)) region->parameters.push_back(slot);
    }
    region_ = region.get();
    std::optional<Value> root = BuildComputation(id, arguments, instruction.opcode_range);
    if (root) {
      const Instruction& made = module_.root(function);
      current_ = &made;
      root = Adapted(made, *root, FunctionResult(instruction, attr, made));
    }
    ok = root && CloseRegion(*region, *root);
    step.regions.push_back(std::move(region));
  });
  region_ = outer;
  hoist_floor_ = outer_floor;
  return ok;
}

std::unique_ptr<Region> PlanBuilder::OpenRegion(Region::Role role, ComputationId computation) {
  auto region = std::make_unique<Region>();
  region->role = role;
  region->computation = computation;
  region->begin = position_++;
  return region;
}

bool PlanBuilder::CloseRegion(Region& region, Value results) {
  region.end = position_++;
  Read(results, region.end);
  std::span<const SlotId> arrays = ArraysOf(results);
  region.results.assign(arrays.begin(), arrays.end());
  return true;
}

// Arrays are dense and row-major in memory whatever their layout, so a reshape changes nothing;
// a bitcast changes nothing when both layouts are row-major too (semantics.md 16.5).
bool PlanBuilder::IsView(const Instruction& instruction) const {
  if (instruction.operands.empty()) return false;
  const Shape& from = *module_.operand(instruction, 0).shape;
  const Shape& to = *instruction.shape;
  if (!from.IsArray() || !to.IsArray()) return false;
  if (instruction.opcode == Opcode::kCopy) return from.element_type() == to.element_type();
  if (from.HasDynamicDim() || to.HasDynamicDim()) return false;
  const SlotId slot = operand_value(instruction, 0)[0];
  if (slot.valid() && plan_.slot(slot).is_dynamic) return false;
  if (instruction.opcode == Opcode::kReshape) return from.element_type() == to.element_type();
  if (instruction.opcode != Opcode::kBitcast) return false;
  return HasRowMajorBytes(from) && HasRowMajorBytes(to) &&
         (from.element_type() == to.element_type() || to.element_type() != ElementType::kPred) &&
         DenseByteSize(from).value_or(-1) == DenseByteSize(to).value_or(-2);
}

// Results of operands whose sizes are known at run time only, whatever shape is written for them.
bool PlanBuilder::TakesSizesAtRunTime(const Instruction& instruction, const Step& step) const {
  if (!hides_sizes_) return false;
  return instruction.opcode == Opcode::kSetDimensionSize ||
         std::ranges::any_of(step.operands,
                             [&](SlotId operand) { return plan_.slot(operand).is_dynamic; });
}

void PlanBuilder::MarkDynamic(std::span<const SlotId> slots) {
  for (SlotId id : slots) {
    Slot& slot = plan_.slots_[id.value];
    slot.is_dynamic = slot.shape->rank() > 0;
  }
}

SlotId PlanBuilder::ViewOf(SlotId slot, const Shape* shape) {
  if (plan_.slot(slot).is_dynamic) return slot;
  plan_.slots_.push_back({plan_.slot(slot).buffer, shape, false, nullptr});
  return SlotId(plan_.slots_.size() - 1);
}

std::optional<BufferId> PlanBuilder::NewBuffer(Buffer::Kind kind, const Shape& shape) {
  absl::StatusOr<int64_t> byte_size = DenseByteSize(shape);
  if (!byte_size.ok()) return TooLarge(*current_, byte_size.status());
  Buffer buffer;
  buffer.kind = kind;
  buffer.byte_size = *byte_size;
  buffer.first = buffer.last = position_;
  buffer.loop_depth = static_cast<int32_t>(open_loops_.size());
  buffer.instruction = module_.id_of(*current_);
  plan_.buffers_.push_back(buffer);
  return BufferId(plan_.buffers_.size() - 1);
}

std::optional<SlotId> PlanBuilder::NewSlot(Buffer::Kind kind, const Shape& shape) {
  std::optional<BufferId> buffer = NewBuffer(kind, shape);
  if (!buffer) return std::nullopt;
  plan_.slots_.push_back({*buffer, &shape, shape.HasDynamicDim(), nullptr});
  return SlotId(plan_.slots_.size() - 1);
}

std::optional<PlanBuilder::Value> PlanBuilder::NewValue(const Shape& shape) {
  absl::InlinedVector<SlotId, 4> slots;
  bool ok = ForEachLeaf(shape, [&](const Shape& leaf) {
    slots.emplace_back();
    const Shape& array = ArrayShapeOf(leaf);
    if (!array.IsArray()) return true;
    std::optional<SlotId> slot = NewSlot(Buffer::Kind::kArena, array);
    if (slot) slots.back() = *slot;
    return slot.has_value();
  });
  if (!ok) return std::nullopt;
  return KeepValue(slots);
}

// The literal with all its elements: one number may have been written for an array.
const Literal* PlanBuilder::ExpandedConstant(const Literal& literal) {
  if (!literal.is_bare_scalar()) return &literal;
  const Literal*& known = expanded_constants_[&literal];
  if (known != nullptr) return known;
  absl::StatusOr<Literal> expanded = literal.Expanded();
  if (!expanded.ok()) {
    TooLarge(*current_, expanded.status());
    return nullptr;
  }
  plan_.literals_.push_back(*std::move(expanded));
  return known = &plan_.literals_.back();
}

std::optional<SlotId> PlanBuilder::ConstantSlot(const Literal& written, const Shape& shape) {
  std::optional<SlotId> id = NewSlot(Buffer::Kind::kConstant, shape);
  if (!id) return std::nullopt;
  const Literal* expanded = ExpandedConstant(written);
  if (expanded == nullptr) return std::nullopt;
  const Literal& literal = *expanded;
  Slot& slot = plan_.slots_[id->value];
  slot.literal = &literal;
  Buffer& buffer = plan_.buffers_[slot.buffer.value];
  buffer.constant = literal.bytes();
  if (counted_constants_.insert(&literal).second &&
      !AddTo(plan_.constant_byte_size_, buffer.byte_size)) {
    return std::nullopt;
  }
  return id;
}

std::optional<PlanBuilder::Value> PlanBuilder::ConstantValue(const Literal& literal,
                                                             const Shape& shape) {
  std::vector<SlotId> slots;
  auto collect = [&](const auto& self, const Literal& value, const Shape& part) -> bool {
    if (part.IsTuple()) {
      for (int64_t i = 0; i < part.element_count(); ++i) {
        if (!self(self, value.tuple_elements()[i], part.element(i))) return false;
      }
      return true;
    }
    slots.emplace_back();
    if (!part.IsArray()) return true;
    std::optional<SlotId> slot = ConstantSlot(value, part);
    if (slot) slots.back() = *slot;
    return slot.has_value();
  };
  if (!collect(collect, literal, shape)) return std::nullopt;
  return KeepValue(slots);
}

std::optional<SlotId> PlanBuilder::ZeroSlot(const Shape& shape) {
  absl::StatusOr<Literal> zeros = Literal::Zeros(shape);
  if (!zeros.ok()) return TooLarge(*current_, zeros.status());
  plan_.literals_.push_back(*std::move(zeros));
  return ConstantSlot(plan_.literals_.back(), shape);
}

void PlanBuilder::Read(SlotId slot, int64_t position) {
  Buffer& buffer = plan_.buffers_[plan_.slot(slot).buffer.value];
  buffer.last = std::max(buffer.last, position);
  if (static_cast<size_t>(buffer.loop_depth) < open_loops_.size()) {
    buffer.last_loop = std::max(buffer.last_loop, open_loops_[buffer.loop_depth].number);
  }
}

void PlanBuilder::Read(Value value, int64_t position) {
  for (SlotId slot : value) {
    if (slot.valid()) Read(slot, position);
  }
}

std::span<const SlotId> PlanBuilder::ArraysOf(Value value) {
  absl::InlinedVector<SlotId, 8> arrays;
  for (SlotId slot : value) {
    if (slot.valid()) arrays.push_back(slot);
  }
  return arrays.size() == value.size() ? value : KeepValue(arrays);
}

std::span<const SlotId> PlanBuilder::OperandArrays(const Instruction& instruction) {
  absl::InlinedVector<SlotId, 8> arrays;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    for (SlotId slot : operand_value(instruction, i)) {
      if (slot.valid()) arrays.push_back(slot);
    }
  }
  return KeepValue(arrays);
}

bool PlanBuilder::SetValue(const Instruction& instruction, std::optional<Value> value) {
  if (!value) return false;
  const std::optional<Value> adapted = Adapted(instruction, *value, *instruction.shape);
  if (!adapted) return false;
  value_of(instruction) = *adapted;
  return true;
}

Failure PlanBuilder::Mismatch(const Instruction& instruction) {
  return sink_.Error("run.shape", instruction.opcode_range,
                     "the operands of `{}` do not fit its shape `{}`", instruction.name,
                     ShapeText(*instruction.shape));
}

Failure PlanBuilder::TooLarge(const Instruction& instruction, const absl::Status& status) {
  return sink_.Error("run.size", instruction.shape_range, "`{}` cannot be held in memory: {}",
                     ShapeText(*instruction.shape), std::string(status.message()));
}

bool PlanBuilder::AddTo(int64_t& total, int64_t byte_size) {
  const std::optional<int64_t> sum = CheckedAdd(total, byte_size);
  if (!sum) {
    return sink_.Error("run.size", module_.name_range(),
                       "the arrays of the program take more than 2^63 - 1 bytes");
  }
  total = *sum;
  return true;
}

std::optional<Plan> MakePlan(const RunnableModule& runnable, DiagnosticSink& sink,
                             const PlanOptions& options) {
  const Module& module = runnable.module();
  std::optional<Plan> plan = PlanBuilder(module, sink, options).Build();
  if (!plan) return std::nullopt;
  if (!PlaceBuffers(*plan)) {
    return sink.Error("run.size", module.name_range(),
                      "the arrays of the program take more than 2^63 - 1 bytes");
  }
  return plan;
}

}  // namespace hlo
