// Both searches remember what they have seen: each looks at an instruction once, whatever the
// loops and tuples it meets. A place in a tuple is followed exactly as far as get-tuple-element and
// tuple name it; behind a loop the whole carry counts.
#include "verifier/producer.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "verifier/instruction_kind.h"

namespace hlo {
namespace {

class Tracer {
 public:
  explicit Tracer(const RuleContext& context) : context_(context) {}

  InstructionId Trace(InstructionId id) {
    Visit(id, {});
    while (!pending_.empty()) {
      auto [next, path] = std::move(pending_.back());
      pending_.pop_back();
      if (InstructionId found = Step(next, std::move(path)); found.valid()) return found;
    }
    return InstructionId();
  }

 private:
  using Path = std::vector<int64_t>;  // innermost index first

  void Visit(InstructionId id, Path path) {
    if (path.size() < kMaxDepth && seen_.insert({id, path}).second) {
      pending_.push_back({id, std::move(path)});
    }
  }

  // Looks at one instruction: the producer itself, or where it has its value from.
  InstructionId Step(InstructionId id, Path path) {
    const Module& module = context_.module();
    const Instruction& instruction = module.instruction(id);
    if (IsContextProducer(instruction.opcode)) return id;
    switch (RouteThrough(instruction)) {
      case Route::kElement:
        path.push_back(instruction.Get<Attr::kIndex>());
        Visit(instruction.operands[0].id, std::move(path));
        break;
      case Route::kOperand:
        Visit(instruction.operands[0].id, std::move(path));
        break;
      case Route::kTuple:
        VisitElement(instruction, std::move(path));
        break;
      case Route::kCaller:
        VisitCaller(instruction, path);
        break;
      case Route::kLoop:
        Visit(module.computation(instruction.Get<Attr::kBody>()).root, path);
        Visit(instruction.operands[0].id, std::move(path));
        break;
      case Route::kEnd:
        break;
    }
    return InstructionId();
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

  void VisitElement(const Instruction& tuple, Path path) {
    if (path.empty()) return;
    int64_t index = path.back();
    path.pop_back();
    if (index >= 0 && index < static_cast<int64_t>(tuple.operands.size())) {
      Visit(tuple.operands[index].id, std::move(path));
    }
  }

  // A loop body's parameter is the initial value or what the last iteration left.
  void VisitCaller(const Instruction& parameter, const Path& path) {
    const Module& module = context_.module();
    auto callers = context_.facts().callers(parameter.computation);
    if (callers.size() != 1 || callers[0].attr != Attr::kBody) return;
    const Instruction& loop = module.instruction(callers[0].caller);
    Visit(module.computation(parameter.computation).root, path);
    if (!loop.operands.empty()) Visit(loop.operands[0].id, path);
  }

  static constexpr size_t kMaxDepth = 64;
  const RuleContext& context_;
  std::vector<std::pair<InstructionId, Path>> pending_;
  absl::flat_hash_set<std::pair<InstructionId, Path>> seen_;
};

}  // namespace

InstructionId TraceProducer(const RuleContext& context, InstructionId id) {
  return Tracer(context).Trace(id);
}

bool IsIntermediary(const Instruction& user) {
  return user.opcode == Opcode::kTuple || user.opcode == Opcode::kGetTupleElement ||
         user.opcode == Opcode::kOptimizationBarrier || user.opcode == Opcode::kCopy ||
         user.opcode == Opcode::kWhile || IsMarkerCall(user);
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
