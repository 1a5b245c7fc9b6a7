// While and conditional: steps with regions.
//
// A while carries its state in one slot for each array leaf. The condition reads these slots; the
// body sees them as parameters of its own (so that it may update them in place where its last
// reader is known) and its results are moved back. A conditional's branches read their argument
// where it is and move their results to the conditional's.
#include "interp/plan/expand.h"

namespace hlo {

bool Expander::RouteWhile(const Instruction& instruction) {
  const std::optional<Value> adapted =
      Adapted(instruction, operand_value(instruction, 0), *instruction.shape);
  if (!adapted) return false;
  Value initial = *adapted;
  Step step;
  step.kind = StepKind::kWhile;
  step.opcode = instruction.opcode;
  step.instruction = module_.id_of(instruction);
  std::optional<Value> carried = NewValue(*instruction.shape);
  if (!carried) return false;
  if (carried->size() != initial.size()) return Mismatch(instruction);
  std::vector<Move> moves;
  for (size_t i = 0; i < initial.size(); ++i) {
    if (initial[i].valid() != (*carried)[i].valid()) return Mismatch(instruction);
    if (!initial[i].valid()) continue;
    moves.push_back({initial[i], (*carried)[i]});
  }
  step.moves = plan_.lists.CopyItems(std::span<const Move>(moves));
  step.results = ArraysOf(*carried);
  if (hides_sizes_) MarkDynamic(step.results);

  Region* outer = region_;
  std::unique_ptr<Region> condition =
      NewRegion(Region::Role::kCondition, instruction.Get<Attr::kCondition>());
  region_ = condition.get();
  std::optional<Value> verdict =
      BuildComputation(condition->computation, {&*carried, 1}, instruction.opcode_range);
  if (!verdict) return false;
  SetResults(*condition, *verdict);
  if (!IsScalar(condition->results, ElementType::kPred)) return Mismatch(instruction);

  std::unique_ptr<Region> body = NewRegion(Region::Role::kBody, instruction.Get<Attr::kBody>());
  region_ = body.get();
  current_ = &instruction;
  Value parameters = BodyParameters(*carried);
  std::optional<Value> next =
      BuildComputation(body->computation, {&parameters, 1}, instruction.opcode_range);
  if (next) next = Adapted(instruction, *next, *instruction.shape);
  if (!next) return false;
  SetResults(*body, *next);
  std::span<const SlotId> arrays = ArraysOf(parameters);
  body->parameters.assign(arrays.begin(), arrays.end());
  body->targets.assign(step.results.begin(), step.results.end());
  if (body->results.size() != body->targets.size()) return Mismatch(instruction);
  region_ = outer;
  step.regions.push_back(std::move(condition));
  step.regions.push_back(std::move(body));
  region_->steps.push_back(std::move(step));
  ++step_count_;
  return SetValue(instruction, carried);
}

// Slots of buffers of their own, which come to lie in the carried slots' memory. Run-time sizes
// have one home: dynamic arrays use the carried slot itself.
Expander::Value Expander::BodyParameters(Value carried) {
  std::vector<SlotId> parameters(carried.begin(), carried.end());
  for (SlotId& id : parameters) {
    if (!id.valid() || plan_.slot(id).is_dynamic) continue;
    const Slot slot = plan_.slot(id);
    plan_.slots.push_back(slot);
    id = SlotId(plan_.slots.size() - 1);
  }
  return KeepValue(parameters);
}

bool Expander::IsScalar(std::span<const SlotId> slots, ElementType type) const {
  if (slots.size() != 1) return false;
  const Shape& shape = *plan_.slot(slots[0]).shape;
  return shape.IsScalar() && shape.element_type() == type;
}

bool Expander::RouteConditional(const Instruction& instruction) {
  std::vector<ComputationId> branches;
  if (const ComputationList* list = instruction.attributes.GetIf<Attr::kBranchComputations>()) {
    branches.assign(list->begin(), list->end());
  } else if (instruction.Has(Attr::kTrueComputation) && instruction.Has(Attr::kFalseComputation)) {
    branches = {instruction.Get<Attr::kTrueComputation>(),
                instruction.Get<Attr::kFalseComputation>()};
  }
  if (branches.empty() || instruction.operands.size() != branches.size() + 1) {
    return Mismatch(instruction);
  }
  Step step;
  step.kind = StepKind::kConditional;
  step.opcode = instruction.opcode;
  step.instruction = module_.id_of(instruction);
  step.operands = ArraysOf(operand_value(instruction, 0));
  if (!IsScalar(step.operands, ElementType::kPred) && !IsScalar(step.operands, ElementType::kS32)) {
    return Mismatch(instruction);
  }
  std::optional<Value> results = NewValue(*instruction.shape);
  if (!results) return false;
  step.results = ArraysOf(*results);
  if (hides_sizes_) MarkDynamic(step.results);
  for (size_t i = 0; i < branches.size(); ++i) {
    if (!BuildBranch(instruction, branches[i], operand_value(instruction, i + 1), step)) {
      return false;
    }
  }
  region_->steps.push_back(std::move(step));
  ++step_count_;
  return SetValue(instruction, results);
}

bool Expander::BuildBranch(const Instruction& instruction, ComputationId branch, Value argument,
                           Step& step) {
  Region* outer = region_;
  std::unique_ptr<Region> region = NewRegion(Region::Role::kBranch, branch);
  region_ = region.get();
  std::optional<Value> root = BuildComputation(branch, {&argument, 1}, instruction.opcode_range);
  if (root) root = Adapted(instruction, *root, *instruction.shape);
  if (!root) return false;
  SetResults(*region, *root);
  region->targets.assign(step.results.begin(), step.results.end());
  if (region->results.size() != region->targets.size()) return Mismatch(instruction);
  region_ = outer;
  step.regions.push_back(std::move(region));
  return true;
}

}  // namespace hlo
