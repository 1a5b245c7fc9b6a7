// One walk over the instructions that run, following calls. A value is never looked at: it is the
// list of slots of its array leaves.
#include "interp/plan/expand.h"

#include <algorithm>
#include <utility>

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

}  // namespace

bool ExpandModule(Plan& plan, const PassContext& context) { return Expander(plan, context).Run(); }

Expander::Expander(Plan& plan, const PassContext& context)
    : plan_(plan),
      module_(*plan.module),
      sink_(context.sink),
      scheduler_(module_, sink_),
      values_(module_.instructions().size()),
      max_byte_size_(context.max_byte_size) {
  hides_sizes_ = std::ranges::any_of(module_.instructions(), [&](const Instruction& instruction) {
    return MayHideSizes(module_, instruction);
  });
}

bool Expander::Run() {
  plan_.entry = NewRegion(Region::Role::kEntry, module_.entry_id());
  region_ = plan_.entry.get();
  std::vector<Value> arguments;
  for (InstructionId id : module_.entry().parameters) {
    current_ = &module_.instruction(id);
    std::vector<SlotId> slots;
    bool ok = ForEachLeaf(*current_->shape, [&](const Shape& leaf) {
      slots.emplace_back();
      const Shape& shape = ArrayShapeOf(leaf);
      if (!shape.IsArray()) return true;
      std::optional<SlotId> id = NewSlot(shape);
      if (!id) return false;
      slots.back() = *id;
      Slot& slot = plan_.slot(*id);
      slot.argument = plan_.argument_count();
      if (!AddTo(plan_.argument_byte_size, slot.byte_size)) return false;
      plan_.argument_shapes.push_back(&shape);
      plan_.entry->parameters.push_back(*id);
      return true;
    });
    if (!ok) return false;
    arguments.push_back(KeepValue(slots));
  }
  std::optional<Value> root =
      BuildComputation(module_.entry_id(), arguments, module_.entry().name_range);
  if (root) SetResults(*plan_.entry, *root);
  return root.has_value();
}

std::optional<Expander::Value> Expander::BuildComputation(ComputationId id,
                                                          std::span<const Value> arguments,
                                                          SourceRange caller) {
  const Computation& computation = module_.computation(id);
  if (call_depth_ >= kMaxCallDepth) {
    return sink_.Error(Rule::kRunCallDepth, caller, "calls nest deeper than {}", kMaxCallDepth);
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
bool Expander::FitsLimits(const Instruction& instruction) {
  ++instruction_count_;
  leaf_count_ += instruction.shape->LeafCount();
  if (instruction_count_ > kMaxInstructions) {
    return Named(instruction,
                 sink_.Error(Rule::kRunPlanSize, instruction.opcode_range,
                             "the calls of the program unfold to more than {} instructions",
                             kMaxInstructions));
  }
  if (leaf_count_ > kMaxLeaves) {
    return Named(instruction, sink_.Error(Rule::kRunPlanSize, instruction.opcode_range,
                                          "the tuples of the program unfold to more than {} arrays",
                                          kMaxLeaves));
  }
  const int64_t byte_size =
      static_cast<int64_t>(plan_.slots.size() * (sizeof(Buffer) + sizeof(Slot))) +
      step_count_ * (static_cast<int64_t>(sizeof(Step)) + kExecutorByteSize) +
      leaf_count_ * static_cast<int64_t>(sizeof(SlotId));
  if (byte_size <= max_byte_size_) return true;
  return Named(instruction,
               sink_.Error(Rule::kRunMemory, instruction.opcode_range,
                           "the plan of the program takes more than {} bytes, the limit of a run",
                           max_byte_size_));
}

bool Expander::BuildInstruction(const Instruction& instruction) {
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

namespace {

// A bitcast has the shape that is written, but only arrays have memory to be read as another one.
bool IsOfArrays(const Module& module, const Instruction& instruction) {
  return instruction.opcode != Opcode::kBitcast ||
         (instruction.shape->IsArray() && module.operand(instruction, 0).shape->IsArray());
}

}  // namespace

// Whether all arrays among the operands are there: not those of an asynchronous operation that has
// not started.
bool Expander::HasOperands(const Instruction& instruction) const {
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (!IsComplete(*module_.operand(instruction, i).shape, operand_value(instruction, i))) {
      return false;
    }
  }
  return true;
}

bool Expander::BuildKernel(const Instruction& instruction) {
  if (!HasOperands(instruction) || !IsOfArrays(module_, instruction)) return Mismatch(instruction);
  if (IsPlainCopy(instruction)) return SetValue(instruction, operand_value(instruction, 0));
  if (HasBodyOverOperands(module_, instruction)) {
    return RouteCalled(instruction, instruction.Get<Attr::kToApply>());
  }
  if (MakesNoElements(instruction)) return SetValue(instruction, NewValue(*instruction.shape));
  Step step;
  step.opcode = instruction.opcode;
  step.instruction = module_.id_of(instruction);
  step.operands = OperandArrays(instruction);
  if (!AlignOperands(instruction, step)) return false;
  const std::optional<Value> value = BuildStep(instruction, step);
  if (!value) return false;
  region_->steps.push_back(std::move(step));
  return SetValue(instruction, value);
}

// Arrays without elements are there without a step: no kernel meets a dimension of 2^63 - 1 beside
// one of 0. Calls and what other devices or the host see stay.
bool Expander::MakesNoElements(const Instruction& instruction) const {
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

bool Expander::IsComplete(const Shape& shape, Value value) const {
  size_t leaf = 0;
  return ForEachLeaf(shape, [&](const Shape& part) {
    return value[leaf++].valid() || !ArrayShapeOf(part).IsArray();
  });
}

// Arrays are dense and row-major in memory whatever their layout, so a copy in the same type is the
// same array.
bool Expander::IsPlainCopy(const Instruction& instruction) const {
  if (instruction.opcode != Opcode::kCopy) return false;
  const Shape& from = *module_.operand(instruction, 0).shape;
  const Shape& to = *instruction.shape;
  return from.IsArray() && to.IsArray() && from.element_type() == to.element_type();
}

// Gives `step` its functions and results, and returns the results.
std::optional<Expander::Value> Expander::BuildStep(const Instruction& instruction, Step& step) {
  if (!BuildFunctions(instruction, step)) return std::nullopt;
  current_ = &instruction;
  std::optional<Value> value = NewValue(KernelResult(instruction));
  if (!value) return std::nullopt;
  step.results = ArraysOf(*value);
  if (TakesSizesAtRunTime(instruction, step)) MarkDynamic(step.results);
  ++step_count_;
  return value;
}

// Every computation the kernel calls becomes a region with its parameters in memory of its own.
bool Expander::BuildFunctions(const Instruction& instruction, Step& step) {
  Region* outer = region_;
  bool ok = true;
  ForEachCalledComputation(instruction, [&](Attr attr, ComputationId id) {
    if (!ok) return;
    std::unique_ptr<Region> region = NewRegion(Region::Role::kFunction, id);
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
    ok = root.has_value();
    if (ok) SetResults(*region, *root);
    step.regions.push_back(std::move(region));
  });
  region_ = outer;
  return ok;
}

std::unique_ptr<Region> Expander::NewRegion(Region::Role role, ComputationId computation) {
  auto region = std::make_unique<Region>();
  region->role = role;
  region->computation = computation;
  return region;
}

void Expander::SetResults(Region& region, Value results) {
  std::span<const SlotId> arrays = ArraysOf(results);
  region.results.assign(arrays.begin(), arrays.end());
}

// Results of operands whose sizes are known at run time only, whatever shape is written for them.
bool Expander::TakesSizesAtRunTime(const Instruction& instruction, const Step& step) const {
  if (!hides_sizes_) return false;
  return instruction.opcode == Opcode::kSetDimensionSize ||
         std::ranges::any_of(step.operands,
                             [&](SlotId operand) { return plan_.slot(operand).is_dynamic; });
}

void Expander::MarkDynamic(std::span<const SlotId> slots) {
  for (SlotId id : slots) {
    Slot& slot = plan_.slot(id);
    slot.is_dynamic = slot.shape->rank() > 0;
  }
}

std::optional<SlotId> Expander::NewSlot(const Shape& shape) {
  absl::StatusOr<int64_t> byte_size = DenseByteSize(shape);
  if (!byte_size.ok()) return TooLarge(*current_, byte_size.status());
  Slot slot;
  slot.shape = &shape;
  slot.byte_size = *byte_size;
  slot.instruction = module_.id_of(*current_);
  slot.is_dynamic = shape.HasDynamicDim();
  plan_.slots.push_back(slot);
  return SlotId(plan_.slots.size() - 1);
}

std::optional<Expander::Value> Expander::NewValue(const Shape& shape) {
  absl::InlinedVector<SlotId, 4> slots;
  bool ok = ForEachLeaf(shape, [&](const Shape& leaf) {
    slots.emplace_back();
    const Shape& array = ArrayShapeOf(leaf);
    if (!array.IsArray()) return true;
    std::optional<SlotId> slot = NewSlot(array);
    if (slot) slots.back() = *slot;
    return slot.has_value();
  });
  if (!ok) return std::nullopt;
  return KeepValue(slots);
}

// The literal with all its elements: one number may have been written for an array.
const Literal* Expander::ExpandedConstant(const Literal& literal) {
  if (!literal.is_bare_scalar()) return &literal;
  const Literal*& known = expanded_constants_[&literal];
  if (known != nullptr) return known;
  absl::StatusOr<Literal> expanded = literal.Expanded();
  if (!expanded.ok()) {
    TooLarge(*current_, expanded.status());
    return nullptr;
  }
  plan_.literals.push_back(*std::move(expanded));
  return known = &plan_.literals.back();
}

std::optional<SlotId> Expander::ConstantSlot(const Literal& written, const Shape& shape) {
  std::optional<SlotId> id = NewSlot(shape);
  if (!id) return std::nullopt;
  const Literal* expanded = ExpandedConstant(written);
  if (expanded == nullptr) return std::nullopt;
  const Literal& literal = *expanded;
  Slot& slot = plan_.slot(*id);
  slot.literal = &literal;
  if (counted_constants_.insert(&literal).second &&
      !AddTo(plan_.constant_byte_size, slot.byte_size)) {
    return std::nullopt;
  }
  return id;
}

std::optional<Expander::Value> Expander::ConstantValue(const Literal& literal, const Shape& shape) {
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

std::optional<SlotId> Expander::ZeroSlot(const Shape& shape) {
  absl::StatusOr<Literal> zeros = Literal::Zeros(shape);
  if (!zeros.ok()) return TooLarge(*current_, zeros.status());
  plan_.literals.push_back(*std::move(zeros));
  return ConstantSlot(plan_.literals.back(), shape);
}

std::span<const SlotId> Expander::ArraysOf(Value value) {
  absl::InlinedVector<SlotId, 8> arrays;
  for (SlotId slot : value) {
    if (slot.valid()) arrays.push_back(slot);
  }
  return arrays.size() == value.size() ? value : KeepValue(arrays);
}

std::span<const SlotId> Expander::OperandArrays(const Instruction& instruction) {
  absl::InlinedVector<SlotId, 8> arrays;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    for (SlotId slot : operand_value(instruction, i)) {
      if (slot.valid()) arrays.push_back(slot);
    }
  }
  return KeepValue(arrays);
}

bool Expander::SetValue(const Instruction& instruction, std::optional<Value> value) {
  if (!value) return false;
  const std::optional<Value> adapted = Adapted(instruction, *value, *instruction.shape);
  if (!adapted) return false;
  value_of(instruction) = *adapted;
  return true;
}

Failure Expander::Mismatch(const Instruction& instruction) {
  return Named(instruction, sink_.Error(Rule::kRunShape, instruction.opcode_range,
                                        "the operands of `{}` do not fit its shape `{}`",
                                        instruction.name, ShapeText(*instruction.shape)));
}

Failure Expander::TooLarge(const Instruction& instruction, const absl::Status& status) {
  return Named(
      instruction,
      sink_.Error(Rule::kRunSize, instruction.shape_range, "`{}` cannot be held in memory: {}",
                  ShapeText(*instruction.shape), std::string(status.message())));
}

bool Expander::AddTo(int64_t& total, int64_t byte_size) {
  const std::optional<int64_t> sum = CheckedAdd(total, byte_size);
  if (!sum) {
    return sink_.Error(Rule::kRunSize, module_.name_range(),
                       "the arrays of the program take more than 2^63 - 1 bytes");
  }
  total = *sum;
  return true;
}

}  // namespace hlo
