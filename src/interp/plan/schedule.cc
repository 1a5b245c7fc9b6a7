// Needed instructions are found backwards from the root and from side effects; the order is the
// textual one, with a depth-first detour for operands that the text defines later. Nothing here
// recurses over instructions: chains in dumps are long.
#include "interp/plan/schedule.h"

#include "ir/called_computations.h"

namespace hlo {

Scheduler::Scheduler(const Module& module, DiagnosticSink& sink)
    : module_(module),
      sink_(sink),
      orders_(module.computations().size()),
      side_effects_(module.computations().size(), Knowledge::kUnknown),
      marks_(module.instructions().size(), Mark::kUnneeded) {}

template <typename Visit>
void Scheduler::ForEachPredecessor(const Instruction& instruction, Visit visit) {
  for (const Operand& operand : instruction.operands) visit(operand.id);
  if (const InstructionList* list = instruction.attributes.GetIf<Attr::kControlPredecessors>()) {
    for (InstructionId id : *list) visit(id);
  }
}

bool Scheduler::HasSideEffects(const Instruction& instruction) {
  if (HasTrait(instruction.opcode, kSideEffect)) return true;
  const bool* declared = instruction.attributes.GetIf<Attr::kCustomCallHasSideEffect>();
  bool result = declared != nullptr && *declared;
  ForEachCalledComputation(instruction,
                           [&](Attr, ComputationId id) { result = result || HasSideEffects(id); });
  return result;
}

// A computation that is being asked about already calls itself, and calls can nest too deeply:
// planning reports both.
bool Scheduler::HasSideEffects(ComputationId id) {
  constexpr int kMaxDepth = 1000;
  Knowledge& knowledge = side_effects_[id.value];
  if (knowledge == Knowledge::kUnknown && call_depth_ < kMaxDepth) {
    knowledge = Knowledge::kBusy;
    ++call_depth_;
    bool found = false;
    for (InstructionId instruction : module_.computation(id).instructions) {
      found = found || HasSideEffects(module_.instruction(instruction));
    }
    --call_depth_;
    knowledge = found ? Knowledge::kYes : Knowledge::kNo;
  }
  return knowledge == Knowledge::kYes;
}

void Scheduler::MarkNeeded(InstructionId root) {
  std::vector<InstructionId> open = {root};
  while (!open.empty()) {
    InstructionId id = open.back();
    open.pop_back();
    if (marks_[id.value] != Mark::kUnneeded) continue;
    marks_[id.value] = Mark::kNeeded;
    ForEachPredecessor(module_.instruction(id), [&](InstructionId p) { open.push_back(p); });
  }
}

// Appends what `id` needs and `id`.
bool Scheduler::Emit(InstructionId id, std::vector<InstructionId>& order) {
  std::vector<InstructionId> open = {id};
  while (!open.empty()) {
    InstructionId current = open.back();
    Mark& mark = marks_[current.value];
    if (mark == Mark::kNeeded) {
      mark = Mark::kOpen;
      bool is_cyclic = false;
      ForEachPredecessor(module_.instruction(current), [&](InstructionId p) {
        if (marks_[p.value] == Mark::kOpen) is_cyclic = true;
        if (marks_[p.value] == Mark::kNeeded) open.push_back(p);
      });
      if (is_cyclic) {
        const Instruction& instruction = module_.instruction(current);
        return sink_.Error(Rule::kRunDependencyCycle, instruction.name_range,
                           "`{}` depends on itself", instruction.name);
      }
      continue;
    }
    open.pop_back();
    if (mark == Mark::kOpen) {
      mark = Mark::kDone;
      order.push_back(current);
    }
  }
  return true;
}

std::optional<std::span<const InstructionId>> Scheduler::Order(ComputationId id) {
  std::optional<std::vector<InstructionId>>& order = orders_[id.value];
  if (!order) {
    const Computation& computation = module_.computation(id);
    MarkNeeded(computation.root);
    for (InstructionId instruction : computation.instructions) {
      if (HasSideEffects(module_.instruction(instruction))) MarkNeeded(instruction);
    }
    order.emplace();
    for (InstructionId instruction : computation.instructions) {
      if (marks_[instruction.value] == Mark::kNeeded && !Emit(instruction, *order)) {
        order.reset();
        return std::nullopt;
      }
    }
  }
  return std::span<const InstructionId>(*order);
}

}  // namespace hlo
