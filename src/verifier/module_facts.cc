// Users and callers as flat arrays with a start for each id (counted, then filled), so that a
// module of 40,000 instructions costs two passes and four allocations.
#include "verifier/module_facts.h"

#include "absl/container/flat_hash_set.h"

namespace hlo {
namespace {

// Counts at index id + 1 become the starts of each id's part.
void SumUp(std::vector<uint32_t>& counts) {
  for (size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

}  // namespace

ModuleFacts::ModuleFacts(const Module& module) {
  CollectUsers(module);
  CollectCallers(module);
  CollectShapes(module);
  Walk(module);
  CollectThreads(module);
}

void ModuleFacts::CollectUsers(const Module& module) {
  user_starts_.assign(module.instructions().size() + 1, 0);
  for (const Instruction& instruction : module.instructions()) {
    for (const Operand& operand : instruction.operands) ++user_starts_[operand.id.value + 1];
  }
  SumUp(user_starts_);
  users_.resize(user_starts_.back());
  std::vector<uint32_t> next(user_starts_.begin(), user_starts_.end() - 1);
  for (const Instruction& instruction : module.instructions()) {
    InstructionId user = module.id_of(instruction);
    for (const Operand& operand : instruction.operands) users_[next[operand.id.value]++] = user;
  }
}

void ModuleFacts::CollectCallers(const Module& module) {
  caller_starts_.assign(module.computations().size() + 1, 0);
  // In a module that was read with errors (parser.h) some instructions belong nowhere.
  auto for_each_call = [&](auto visit) {
    for (const Instruction& instruction : module.instructions()) {
      if (!instruction.computation.valid()) continue;
      ForEachCall(instruction, [&](Attr attr, ComputationId id) { visit(instruction, attr, id); });
    }
  };
  for_each_call(
      [&](const Instruction&, Attr, ComputationId id) { ++caller_starts_[id.value + 1]; });
  SumUp(caller_starts_);
  callers_.resize(caller_starts_.back());
  std::vector<uint32_t> next(caller_starts_.begin(), caller_starts_.end() - 1);
  for_each_call([&](const Instruction& instruction, Attr attr, ComputationId id) {
    callers_[next[id.value]++] = {module.id_of(instruction), attr};
  });
}

void ModuleFacts::CollectShapes(const Module& module) {
  absl::flat_hash_set<const Shape*> seen;
  const Shape* previous = nullptr;
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.shape == previous || instruction.shape == nullptr) continue;
    previous = instruction.shape;
    if (seen.insert(previous).second) first_of_shapes_.push_back(module.id_of(instruction));
  }
}

// Depth first over the call graph with an own stack: from every computation, the entry first, so
// that what is seen before the second root is what the entry reaches.
void ModuleFacts::Walk(const Module& module) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    ComputationId computation;
    size_t next_callee;
  };
  struct Callee {
    InstructionId caller;
    ComputationId computation;
  };
  size_t count = module.computations().size();
  std::vector<std::vector<Callee>> callees(count);
  for (size_t i = 0; i < count; ++i) {
    for (const CallSite& site : callers(ComputationId(i))) {
      callees[module.instruction(site.caller).computation.value].push_back(
          {site.caller, ComputationId(i)});
    }
  }
  std::vector<State> states(count, State::kNew);
  std::vector<Frame> stack;
  auto open = [&](ComputationId id) {
    states[id.value] = State::kOpen;
    stack.push_back({id, 0});
  };
  auto walk_from = [&](ComputationId root) {
    if (states[root.value] != State::kNew) return;
    open(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::vector<Callee>& list = callees[frame.computation.value];
      if (frame.next_callee == list.size()) {
        states[frame.computation.value] = State::kDone;
        stack.pop_back();
        continue;
      }
      const Callee& callee = list[frame.next_callee++];
      State state = states[callee.computation.value];
      if (state == State::kOpen && !cycle_caller_.valid()) cycle_caller_ = callee.caller;
      if (state == State::kNew) open(callee.computation);
    }
  };
  if (module.entry_id().valid()) walk_from(module.entry_id());
  is_reachable_.resize(count);
  for (size_t i = 0; i < count; ++i) is_reachable_[i] = states[i] != State::kNew;
  for (size_t i = 0; i < count; ++i) walk_from(ComputationId(i));
}

// From the last start to the first: what has a thread by then keeps it, and so does all below it.
void ModuleFacts::CollectThreads(const Module& module) {
  for (const Computation& computation : module.computations()) {
    threads_.push_back(computation.execution_thread);
  }
  is_async_wrapped_.resize(threads_.size());
  std::vector<bool> is_given(threads_.size());
  std::vector<ComputationId> pending;
  const std::span<const Instruction> instructions = module.instructions();
  for (size_t i = instructions.size(); i-- > 0;) {
    const Instruction& start = instructions[i];
    if (start.opcode != Opcode::kAsyncStart) continue;
    std::string_view thread = start.Get<Attr::kAsyncExecutionThread>();
    if (thread.empty()) thread = "main";
    const auto give = [&](Attr, ComputationId id) {
      if (is_given[id.value]) return;
      is_given[id.value] = true;
      threads_[id.value] = thread;
      pending.push_back(id);
    };
    ForEachCall(start, [&](Attr attr, ComputationId id) {
      is_async_wrapped_[id.value] = true;
      give(attr, id);
    });
    while (!pending.empty()) {
      const ComputationId id = pending.back();
      pending.pop_back();
      for (InstructionId inner : module.computation(id).instructions) {
        ForEachCall(module.instruction(inner), give);
      }
    }
  }
}

}  // namespace hlo
