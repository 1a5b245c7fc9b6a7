// Both searches remember what they have seen: each looks at an instruction once, whatever the
// loops and tuples it meets. A place in a tuple is followed exactly as far as get-tuple-element and
// tuple name it; behind a loop the whole carry counts.
#include "verifier/producer.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "verifier/instruction_kind.h"

namespace hlo {

// One search.
class ProducerSearch {
 public:
  explicit ProducerSearch(ProducerTracer& tracer)
      : context_(tracer.context_), known_(tracer.known_) {}

  Producer Run(InstructionId id) {
    Visit({id, {}}, /*through_loop=*/false);
    Producer found;
    while (!pending_.empty() && !found.id.valid()) {
      const Place place = std::move(pending_.back());
      pending_.pop_back();
      found = Step(place);
    }
    for (Part& passed : trail_) known_[std::move(passed)] = found;
    return found;
  }

 private:
  using Part = ProducerTracer::Part;
  struct Place {
    Part part;
    bool through_loop;
  };

  void Visit(Part part, bool through_loop) {
    if (part.second.size() < kMaxDepth && seen_.insert(part).second) {
      pending_.push_back({std::move(part), through_loop});
    }
  }

  // Looks at one instruction: the producer itself, or where it has its value from.
  Producer Step(const Place& place) {
    const auto& [id, path] = place.part;
    const Module& module = context_.module();
    const Instruction& instruction = module.instruction(id);
    if (HasTrait(instruction.opcode, kMakesContext)) return {id, place.through_loop};
    const auto known = known_.find(place.part);
    if (known != known_.end()) {
      return {known->second.id, known->second.through_loop || place.through_loop};
    }
    if (!place.through_loop) trail_.push_back(place.part);  // up to here there is one way only
    switch (RouteThrough(instruction)) {
      case Route::kElement:
        VisitTuple(instruction, place);
        break;
      case Route::kOperand:
        Visit({instruction.operands[0].id, path}, place.through_loop);
        break;
      case Route::kTuple:
        VisitElement(instruction, place);
        break;
      case Route::kCaller:
        VisitCaller(instruction, place);
        break;
      case Route::kLoop:
        Visit({module.computation(instruction.Get<Attr::kBody>()).root, path}, true);
        Visit({instruction.operands[0].id, path}, true);
        break;
      case Route::kEnd:
        break;
    }
    return {};
  }

  enum class Route : uint8_t { kEnd, kOperand, kElement, kTuple, kCaller, kLoop };
  static Route RouteThrough(const Instruction& instruction) {
    Opcode opcode = instruction.opcode;
    if (opcode == Opcode::kTuple) return Route::kTuple;
    if (opcode == Opcode::kParameter) return Route::kCaller;
    if (instruction.operands.empty()) return Route::kEnd;
    if (opcode == Opcode::kGetTupleElement) return Route::kElement;
    if (opcode == Opcode::kWhile) return Route::kLoop;
    bool hands_on = opcode == Opcode::kOptimizationBarrier || opcode == Opcode::kCopy ||
                    IsMarkerCall(instruction);
    return hands_on ? Route::kOperand : Route::kEnd;
  }

  void VisitTuple(const Instruction& element, const Place& place) {
    std::vector<int64_t> path = place.part.second;
    path.push_back(element.Get<Attr::kIndex>());
    Visit({element.operands[0].id, std::move(path)}, place.through_loop);
  }

  void VisitElement(const Instruction& tuple, const Place& place) {
    std::vector<int64_t> path = place.part.second;
    if (path.empty()) return;
    const int64_t index = path.back();
    path.pop_back();
    if (index >= 0 && index < static_cast<int64_t>(tuple.operands.size())) {
      Visit({tuple.operands[index].id, std::move(path)}, place.through_loop);
    }
  }

  // A loop body's parameter is the initial value or what the last iteration left.
  void VisitCaller(const Instruction& parameter, const Place& place) {
    const Module& module = context_.module();
    auto callers = context_.facts().callers(parameter.computation);
    if (callers.size() != 1 || callers[0].attr != Attr::kBody) return;
    const Instruction& loop = module.instruction(callers[0].caller);
    const auto& path = place.part.second;
    Visit({module.computation(parameter.computation).root, path}, true);
    if (!loop.operands.empty()) Visit({loop.operands[0].id, path}, true);
  }

  static constexpr size_t kMaxDepth = 64;
  const RuleContext& context_;
  absl::flat_hash_map<Part, Producer>& known_;
  std::vector<Place> pending_;
  absl::flat_hash_set<Part> seen_;
  std::vector<Part> trail_;
};

Producer ProducerTracer::Trace(InstructionId id) { return ProducerSearch(*this).Run(id); }

bool IsIntermediary(const Instruction& user) {
  return HasTrait(user.opcode, kPassesContext) || IsMarkerCall(user);
}

bool MayHoldContext(const Instruction& user) {
  return IsIntermediary(user) || HasTrait(user.opcode, kHoldsContext);
}

bool IsCarriedAway(const RuleContext& context, InstructionId id) {
  const Module& module = context.module();
  std::vector<InstructionId> pending = {id};
  absl::flat_hash_set<InstructionId> seen = {id};
  while (!pending.empty()) {
    InstructionId next = pending.back();
    pending.pop_back();
    ComputationId computation = module.instruction(next).computation;
    if (module.computation(computation).root == next && computation != module.entry_id()) {
      return true;
    }
    for (InstructionId user_id : context.facts().users(next)) {
      const Instruction& user = module.instruction(user_id);
      if (HasTrait(user.opcode, kControlFlowCall) && !IsAsync(user.opcode)) return true;
      if (IsIntermediary(user) && seen.insert(user_id).second) pending.push_back(user_id);
    }
  }
  return false;
}

}  // namespace hlo
