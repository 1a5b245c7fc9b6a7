// Both orders come from depth-first walks with explicit stacks; where a walk marks what it has
// seen decides the result, so the marks stand exactly where XLA has them.
#include "printer/xla_order.h"

#include <algorithm>

namespace hlo {
namespace {

// The attributes that name computations, in the order XLA keeps the callees of one instruction:
// a loop's body comes before its condition.
constexpr Attr kCalleeAttributes[] = {Attr::kBody,
                                      Attr::kCondition,
                                      Attr::kTrueComputation,
                                      Attr::kFalseComputation,
                                      Attr::kBranchComputations,
                                      Attr::kSelect,
                                      Attr::kScatter,
                                      Attr::kToApply,
                                      Attr::kCalls,
                                      Attr::kCalledComputations};

bool IsList(Attr attr) {
  return attr == Attr::kBranchComputations || attr == Attr::kCalledComputations;
}

// Appends what `root` calls, directly or not, callees first, and `root` itself at the end.
// A computation is marked when it is pushed, not when it is reached.
void WalkComputations(const Module& module, ComputationId root, std::vector<bool>* seen,
                      std::vector<ComputationId>* order) {
  struct Frame {
    ComputationId id;
    size_t next = 0;
  };
  std::vector<Frame> stack = {{root}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const Computation& computation = module.computation(frame.id);
    if (frame.next == computation.instructions.size()) {
      order->push_back(frame.id);
      stack.pop_back();
      continue;
    }
    const Instruction& instruction = module.instruction(computation.instructions[frame.next++]);
    std::vector<ComputationId> callees = Callees(instruction);
    std::reverse(callees.begin(), callees.end());
    for (ComputationId callee : callees) {
      if ((*seen)[callee.value]) continue;
      (*seen)[callee.value] = true;
      stack.push_back({callee});
    }
  }
}

// What an outer and an inner loop share can come behind the inner one in XLA's order, which marks
// it before it is reached: a text that nobody could read. `order` with callees before callers.
std::vector<ComputationId> WithCalleesFirst(const Module& module,
                                            const std::vector<ComputationId>& order) {
  struct Frame {
    ComputationId id;
    std::vector<ComputationId> callees;
    size_t next = 0;
  };
  const auto frame_of = [&](ComputationId id) {
    Frame frame{id, {}};
    for (InstructionId instruction : module.computation(id).instructions) {
      const std::vector<ComputationId> callees = Callees(module.instruction(instruction));
      frame.callees.insert(frame.callees.end(), callees.begin(), callees.end());
    }
    return frame;
  };
  std::vector<bool> seen(module.computations().size(), false);
  std::vector<ComputationId> result;
  std::vector<Frame> stack;
  const auto push = [&](ComputationId id) {
    if (seen[id.value]) return;
    seen[id.value] = true;
    stack.push_back(frame_of(id));
  };
  for (ComputationId id : order) {
    push(id);
    while (!stack.empty()) {
      if (stack.back().next < stack.back().callees.size()) {
        push(stack.back().callees[stack.back().next++]);
      } else {
        result.push_back(stack.back().id);
        stack.pop_back();
      }
    }
  }
  return result;
}

}  // namespace

std::vector<ComputationId> Callees(const Instruction& instruction) {
  std::vector<ComputationId> callees;
  for (Attr attr : kCalleeAttributes) {
    const Attribute* attribute = instruction.attributes.Find(attr);
    if (attribute == nullptr) continue;
    if (IsList(attr)) {
      const auto& list = attribute->value.Get<ComputationList>();
      callees.insert(callees.end(), list.begin(), list.end());
    } else {
      callees.push_back(attribute->value.Get<ComputationId>());
    }
  }
  return callees;
}

std::vector<ComputationId> XlaComputationOrder(const Module& module) {
  const size_t count = module.computations().size();
  std::vector<bool> called(count, false);
  for (const Instruction& instruction : module.instructions()) {
    for (ComputationId callee : Callees(instruction)) called[callee.value] = true;
  }
  std::vector<ComputationId> order;
  std::vector<bool> printed(count, false);
  for (size_t i = 0; i < count; ++i) {
    if (called[i]) continue;
    std::vector<bool> seen(count, false);
    std::vector<ComputationId> walked;
    WalkComputations(module, ComputationId(i), &seen, &walked);
    for (ComputationId id : walked) {
      if (printed[id.value]) continue;
      printed[id.value] = true;
      order.push_back(id);
    }
  }
  return WithCalleesFirst(module, order);
}

XlaPostOrder::XlaPostOrder(const Module& module)
    : module_(module),
      states_(module.instructions().size(), State::kNew),
      used_(module.instructions().size(), false) {
  for (const Instruction& instruction : module.instructions()) {
    for (const Operand& operand : instruction.operands) used_[operand.id.value] = true;
  }
}

std::vector<InstructionId> XlaPostOrder::Of(const Computation& computation) {
  std::vector<InstructionId> order;
  order.reserve(computation.instructions.size());
  for (InstructionId id : computation.instructions) {
    if (!used_[id.value]) Walk(id, &order);
  }
  return order;
}

void XlaPostOrder::Walk(InstructionId start, std::vector<InstructionId>* order) {
  Push(start);
  while (!stack_.empty()) {
    const InstructionId id = stack_.back();
    State& state = states_[id.value];
    if (state != State::kNew) {
      stack_.pop_back();
      if (state == State::kVisiting) order->push_back(id);
      state = State::kVisited;
      continue;
    }
    state = State::kVisiting;
    const Instruction& instruction = module_.instruction(id);
    for (size_t i = instruction.operands.size(); i-- > 0;) Push(instruction.operands[i].id);
    for (InstructionId predecessor : instruction.Get<Attr::kControlPredecessors>()) {
      Push(predecessor);
    }
  }
}

}  // namespace hlo
