// A value flows from one instruction to another: into parameters of calls, out of roots, through
// tuples and the state of loops. Both sides must see the same arrays. Verified modules say so but
// for the types of floats, which they may mix (verifier.md 0.6).
#include <algorithm>

#include "interp/plan/expand.h"

namespace hlo {

std::optional<Expander::Value> Expander::Adapted(const Instruction& instruction, Value value,
                                                 const Shape& shape) {
  size_t leaf = 0;
  absl::InlinedVector<SlotId, 4> changed;  // empty: nothing so far
  const bool fits = ForEachLeaf(shape, [&](const Shape& part) {
    if (leaf >= value.size()) return false;
    const SlotId slot = value[leaf];
    const std::optional<SlotId> adapted = AdaptedLeaf(instruction, slot, part);
    if (!adapted) return false;
    if (*adapted != slot && changed.empty()) changed.assign(value.begin(), value.end());
    if (!changed.empty()) changed[leaf] = *adapted;
    ++leaf;
    return true;
  });
  if (!fits || leaf != value.size()) return Mismatch(instruction);
  return changed.empty() ? value : KeepValue(changed);
}

std::optional<SlotId> Expander::AdaptedLeaf(const Instruction& instruction, SlotId slot,
                                            const Shape& leaf) {
  const Shape& shape = ArrayShapeOf(leaf);
  if (!slot.valid()) return slot;
  if (!shape.IsArray()) return std::nullopt;
  const Shape& made = *plan_.slot(slot).shape;
  if (!std::ranges::equal(made.dims(), shape.dims())) return std::nullopt;
  if (made.element_type() == shape.element_type()) return slot;
  if (!IsFloat(made.element_type()) || !IsFloat(shape.element_type())) return std::nullopt;
  current_ = &instruction;
  return Converted(slot, shape);
}

// A step of its own, under the name of the instruction whose value it makes.
std::optional<SlotId> Expander::Converted(SlotId slot, const Shape& shape) {
  const std::optional<SlotId> result = NewSlot(shape);
  if (!result) return std::nullopt;
  plan_.slot(*result).is_dynamic |= plan_.slot(slot).is_dynamic;
  Step step;
  step.opcode = Opcode::kConvert;
  step.instruction = module_.id_of(*current_);
  step.operands = KeepValue(std::span(&slot, 1));
  step.results = KeepValue(std::span(&*result, 1));
  region_->steps.push_back(std::move(step));
  ++step_count_;
  return result;
}

// --- Kernels that move elements ----------------------------------------------------------------
//
// They copy bytes: result k holds elements of operand k, that of ragged-all-to-all those of
// operand 1. Results may all the same be written in another type of floats than operands have
// (verifier.md 0.6: result shapes are compared without regard to it), and an update may differ from
// what it goes into.

namespace {

bool AreDifferentFloats(const Shape& a, const Shape& b) {
  return a.element_type() != b.element_type() && IsFloat(a.element_type()) &&
         IsFloat(b.element_type());
}

}  // namespace

const Shape& Expander::KernelResult(const Instruction& instruction) {
  const Shape& shape = *instruction.shape;
  if (!HasTrait(instruction.opcode, kKeepsOperandType) || instruction.operands.empty())
    return shape;
  const auto operand = [&](size_t k) -> const Shape& {
    return *module_.operand(instruction, k).shape;
  };
  const Shape& moved = operand(instruction.opcode == Opcode::kRaggedAllToAll ? 1 : 0);
  if (shape.IsArray() && AreDifferentFloats(shape, moved)) {
    return WithType(shape, moved.element_type());
  }
  if (!shape.IsTuple()) return shape;
  const size_t count =
      std::min(instruction.operands.size(), static_cast<size_t>(shape.element_count()));
  const Shape* made = &shape;
  for (size_t k = 0; k < count; ++k) {
    if (!AreDifferentFloats(shape.element(static_cast<int64_t>(k)), operand(k))) continue;
    if (made == &shape) made = &plan_.shapes.emplace_back(shape);
    plan_.shapes.back()
        .mutable_element(static_cast<int64_t>(k))
        .set_element_type(operand(k).element_type());
  }
  return *made;
}

bool Expander::AlignOperands(const Instruction& instruction, Step& step) {
  const bool is_update = instruction.opcode == Opcode::kDynamicUpdateSlice;
  const bool is_exchange = instruction.opcode == Opcode::kRaggedAllToAll;
  if (!is_update && !is_exchange) return true;
  const Shape& target = *plan_.slot(step.operands[is_update ? 0 : 1]).shape;
  const size_t source = is_update ? 1 : 0;
  const Shape& shape = *plan_.slot(step.operands[source]).shape;
  if (!AreDifferentFloats(shape, target)) return true;
  current_ = &instruction;
  const std::optional<SlotId> converted =
      Converted(step.operands[source], WithType(shape, target.element_type()));
  if (!converted) return false;
  std::vector<SlotId> operands(step.operands.begin(), step.operands.end());
  operands[source] = *converted;
  step.operands = KeepValue(operands);
  return true;
}

// --- Functions that kernels call ---------------------------------------------------------------

const Shape& Expander::WithType(const Shape& shape, ElementType type) {
  if (!shape.IsArray() || shape.element_type() == type) return shape;
  plan_.shapes.push_back(shape);
  plan_.shapes.back().set_element_type(type);
  return plan_.shapes.back();
}

// Kernels bring the arrays they work on into the types that parameters have, one array into one
// type: what they compare must be declared alike. scan hands out its arrays as they are.
const Shape& Expander::FunctionParameter(const Instruction& instruction, Attr attr,
                                         const Computation& function, size_t number) {
  const auto parameter = [&](size_t k) -> const Shape& {
    return *module_.instruction(function.parameters[k]).shape;
  };
  const Shape& own = parameter(number);
  if (instruction.opcode == Opcode::kSort && attr == Attr::kToApply) {
    return WithType(own, parameter(number / 2 * 2).element_type());
  }
  if (instruction.opcode == Opcode::kSelectAndScatter && attr == Attr::kSelect) {
    return WithType(own, parameter(0).element_type());
  }
  if (instruction.opcode == Opcode::kScan && attr == Attr::kToApply) {
    const auto carry_count = static_cast<size_t>(instruction.Get<Attr::kNumCarries>());
    const size_t input_count = instruction.operands.size() - carry_count;
    if (number < input_count) {
      return WithType(own, module_.operand(instruction, number).shape->element_type());
    }
    const Shape& results = *instruction.shape;
    if (!results.IsTuple()) return WithType(own, results.element_type());
    const size_t output_count = static_cast<size_t>(results.element_count()) - carry_count;
    const size_t carry = output_count + number - input_count;
    return WithType(own, results.element(static_cast<int64_t>(carry)).element_type());
  }
  return own;
}

// What comes back is a verdict or an accumulator, which has its parameter's type (verifier.md 3.9,
// reducer.accumulator-param), but for map and scan an element or slice of the instruction's result.
const Shape& Expander::FunctionResult(const Instruction& instruction, Attr attr,
                                      const Instruction& root) {
  const Shape& own = *root.shape;
  const Shape& results = *instruction.shape;
  const bool is_stored = instruction.opcode == Opcode::kMap || instruction.opcode == Opcode::kScan;
  if (!is_stored || attr != Attr::kToApply) return own;
  if (!own.IsTuple()) {
    return WithType(own, (results.IsTuple() ? results.element(0) : results).element_type());
  }
  plan_.shapes.push_back(own);
  Shape& shape = plan_.shapes.back();
  for (int64_t i = 0; i < own.element_count(); ++i) {
    const Shape& stored = results.IsTuple() ? results.element(i) : results;
    shape.mutable_element(i).set_element_type(stored.element_type());
  }
  return shape;
}

}  // namespace hlo
