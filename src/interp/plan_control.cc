// While and conditional: steps with regions.
//
// A while carries its state in one slot for each array leaf. The condition reads these slots; the
// body sees them as parameters of its own (so that it may update them in place where its last
// reader is known) and its results are moved back. A conditional's branches read their argument
// where it is and move their results to the conditional's.
#include <utility>

#include "interp/plan_builder.h"

namespace hlo {

bool PlanBuilder::RouteWhile(const Instruction& instruction) {
  const std::optional<Value> adapted =
      Adapted(instruction, operand_value(instruction, 0), *instruction.shape);
  if (!adapted) return false;
  Value initial = *adapted;
  Step step;
  step.kind = StepKind::kWhile;
  step.instruction = module_.id_of(instruction);
  step.begin = position_++;
  Read(initial, step.begin);
  std::optional<Value> carried = NewValue(*instruction.shape);
  if (!carried) return false;
  if (carried->size() != initial.size()) return Mismatch(instruction);
  std::vector<Move> moves;
  for (size_t i = 0; i < initial.size(); ++i) {
    if (initial[i].valid() != (*carried)[i].valid()) return Mismatch(instruction);
    if (!initial[i].valid()) continue;
    plan_.buffers_[plan_.slot((*carried)[i]).buffer.value].first = step.begin;
    moves.push_back({initial[i], (*carried)[i]});
  }
  step.moves = plan_.arena_.CopyItems(std::span<const Move>(moves));
  for (const Move& move : moves) {
    if (!AddTo(step.work, plan_.buffer(plan_.slot(move.to).buffer).byte_size)) return false;
  }
  step.results = ArraysOf(*carried);
  if (hides_sizes_) MarkDynamic(step.results);

  Region* outer = region_;
  int32_t loop = static_cast<int32_t>(plan_.loop_ends_.size());
  plan_.loop_ends_.push_back(0);
  open_loops_.push_back({loop, outer, step.begin});
  for (SlotId slot : step.results) {
    plan_.buffers_[plan_.slot(slot).buffer.value].carrying_loop = loop;
  }
  std::unique_ptr<Region> condition =
      OpenRegion(Region::Role::kCondition, instruction.Get<Attr::kCondition>());
  region_ = condition.get();
  std::optional<Value> verdict =
      BuildComputation(condition->computation, {&*carried, 1}, instruction.opcode_range);
  if (!verdict || !CloseRegion(*condition, *verdict)) return false;
  if (!IsScalar(condition->results, ElementType::kPred)) return Mismatch(instruction);

  std::unique_ptr<Region> body = OpenRegion(Region::Role::kBody, instruction.Get<Attr::kBody>());
  region_ = body.get();
  current_ = &instruction;
  Value parameters = BodyParameters(*carried);
  std::optional<Value> next =
      BuildComputation(body->computation, {&parameters, 1}, instruction.opcode_range);
  if (next) next = Adapted(instruction, *next, *instruction.shape);
  if (!next || !CloseRegion(*body, *next)) return false;
  std::span<const SlotId> arrays = ArraysOf(parameters);
  body->parameters.assign(arrays.begin(), arrays.end());
  body->targets.assign(step.results.begin(), step.results.end());
  if (body->results.size() != body->targets.size()) return Mismatch(instruction);
  open_loops_.pop_back();
  region_ = outer;

  step.end = position_++;
  plan_.loop_ends_[static_cast<size_t>(loop)] = step.end;
  Read(*carried, step.end);
  step.regions.push_back(std::move(condition));
  step.regions.push_back(std::move(body));
  region_->steps.push_back(std::move(step));
  ++plan_.step_count_;
  return SetValue(instruction, carried);
}

// Slots of buffers of their own, which come to lie in the carried slots' memory. Run-time sizes
// have one home: dynamic arrays use the carried slot itself.
PlanBuilder::Value PlanBuilder::BodyParameters(Value carried) {
  std::vector<SlotId> parameters(carried.begin(), carried.end());
  for (SlotId& slot : parameters) {
    if (!slot.valid() || plan_.slot(slot).is_dynamic) continue;
    Buffer buffer = plan_.buffer(plan_.slot(slot).buffer);
    buffer.first = buffer.last = region_->begin;
    buffer.loop_depth = static_cast<int32_t>(open_loops_.size());
    buffer.last_loop = -1;
    plan_.buffers_.push_back(buffer);
    plan_.slots_.push_back(
        {BufferId(plan_.buffers_.size() - 1), plan_.slot(slot).shape, false, nullptr});
    slot = SlotId(plan_.slots_.size() - 1);
  }
  return KeepValue(parameters);
}

bool PlanBuilder::IsScalar(std::span<const SlotId> slots, ElementType type) const {
  if (slots.size() != 1) return false;
  const Shape& shape = *plan_.slot(slots[0]).shape;
  return shape.IsScalar() && shape.element_type() == type;
}

bool PlanBuilder::RouteConditional(const Instruction& instruction) {
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
  step.instruction = module_.id_of(instruction);
  step.begin = position_++;
  step.operands = ArraysOf(operand_value(instruction, 0));
  if (!IsScalar(step.operands, ElementType::kPred) && !IsScalar(step.operands, ElementType::kS32)) {
    return Mismatch(instruction);
  }
  Read(step.operands[0], step.begin);
  std::optional<Value> results = NewValue(*instruction.shape);
  if (!results) return false;
  step.results = ArraysOf(*results);
  if (hides_sizes_) MarkDynamic(step.results);
  for (SlotId slot : step.results) {
    plan_.buffers_[plan_.slot(slot).buffer.value].first = step.begin;
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    if (!BuildBranch(instruction, branches[i], operand_value(instruction, i + 1), step)) {
      return false;
    }
  }
  step.end = position_++;
  Read(*results, step.end);
  region_->steps.push_back(std::move(step));
  ++plan_.step_count_;
  return SetValue(instruction, results);
}

bool PlanBuilder::BuildBranch(const Instruction& instruction, ComputationId branch, Value argument,
                              Step& step) {
  Region* outer = region_;
  size_t outer_floor = std::exchange(hoist_floor_, open_loops_.size());
  std::unique_ptr<Region> region = OpenRegion(Region::Role::kBranch, branch);
  region_ = region.get();
  std::optional<Value> root = BuildComputation(branch, {&argument, 1}, instruction.opcode_range);
  if (root) root = Adapted(instruction, *root, *instruction.shape);
  if (!root || !CloseRegion(*region, *root)) return false;
  region->targets.assign(step.results.begin(), step.results.end());
  if (region->results.size() != region->targets.size()) return Mismatch(instruction);
  region_ = outer;
  hoist_floor_ = outer_floor;
  step.regions.push_back(std::move(region));
  return true;
}

}  // namespace hlo
