// How computations are called, and on which execution threads. Source: verifier.md 1.5, 1.6.
#include "absl/container/flat_hash_set.h"
#include "verifier/instruction_kind.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

enum CallContext : uint8_t { kNoCall = 0, kEmbeddedCall = 1, kControlCall = 2 };

CallContext ContextOf(const Instruction& caller) {
  if (HasTrait(caller.opcode, kControlFlowCall)) return kControlCall;
  return kEmbeddedCall;  // custom-call included
}

struct Callers {
  const Instruction* embedded = nullptr;
  const Instruction* control = nullptr;
  bool is_only_scalar = true;  // no fusion, no custom-call
};

Callers CallersOf(const RuleContext& context, ComputationId id) {
  Callers callers;
  for (const CallSite& site : context.facts().callers(id)) {
    const Instruction& caller = context.module().instruction(site.caller);
    (ContextOf(caller) == kControlCall ? callers.control : callers.embedded) = &caller;
    if (caller.opcode == Opcode::kFusion || caller.opcode == Opcode::kCustomCall) {
      callers.is_only_scalar = false;
    }
  }
  return callers;
}

// Reducers and the like: nothing in them may talk to the outside.
void CheckEmbedded(const RuleContext& context, const Computation& computation,
                   const Instruction& caller) {
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = context.module().instruction(id);
    if (HasSideEffect(instruction) || IsCollective(instruction.opcode)) {
      context.Report(Rule::kCallContextEmbeddedSideEffect, instruction.opcode_range,
                     "`{}` inside `{}`, which `{}` calls for its elements",
                     OpcodeName(instruction.opcode), computation.name, caller.name);
    } else if (instruction.shape->IsToken()) {
      context.Report(Rule::kCallContextScalarTokens, instruction.opcode_range,
                     "a token inside `{}`, which `{}` calls for its elements", computation.name,
                     caller.name);
    }
  }
}

// Whether calling through this attribute never leaves the thread (verifier.md 1.6).
bool KeepsThread(Opcode opcode) {
  return opcode == Opcode::kFusion || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

void CheckCalleeThread(const RuleContext& context, const OpView& op, Attr attr, ComputationId id) {
  const Computation& callee = context.module().computation(id);
  const std::string_view callee_thread = context.facts().thread(id);
  const std::string_view caller_thread = context.facts().thread(op.instruction().computation);
  if (callee_thread == caller_thread) return;
  Rule rule = KeepsThread(op.opcode()) ? Rule::kThreadCallee : Rule::kThreadNestedCall;
  context.Report(rule, op.attribute_range(attr), "`{}` runs on thread `{}`, its caller on `{}`",
                 callee.name, callee_thread, caller_thread);
}

// Starts give their thread to what they wrap, so only another start can have given it a different
// one.
void CheckAsyncThread(const RuleContext& context, const OpView& op, ComputationId id) {
  std::string_view thread = op.Get<Attr::kAsyncExecutionThread>();
  if (thread.empty()) thread = "main";
  const Computation& callee = context.module().computation(id);
  if (context.facts().thread(id) == thread) return;
  context.Report(Rule::kThreadAsyncWrapped, op.attribute_range(Attr::kAsyncExecutionThread),
                 "`{}` runs on thread `{}`, the async operation on `{}`", callee.name,
                 context.facts().thread(id), thread);
}

}  // namespace

void VerifyCallContexts(const RuleContext& context) {
  for (size_t i = 0; i < context.module().computations().size(); ++i) {
    const Computation& computation = context.module().computations()[i];
    Callers callers = CallersOf(context, ComputationId(i));
    if (callers.embedded == nullptr) continue;
    if (callers.control != nullptr) {
      context.Report(Rule::kCallContextBoth, computation.name_range,
                     "`{}` is called by `{}` for its elements and by `{}` as control flow",
                     computation.name, callers.embedded->name, callers.control->name);
    } else if (callers.is_only_scalar) {
      CheckEmbedded(context, computation, *callers.embedded);
    }
  }
}

void VerifyThreads(const RuleContext& context) {
  for (const Instruction& instruction : context.module().instructions()) {
    OpView op = context.View(instruction);
    absl::flat_hash_set<ComputationId> seen;  // branches may be the same computation
    ForEachCall(instruction, [&](Attr attr, ComputationId id) {
      if (!seen.insert(id).second) return;
      if (op.opcode() == Opcode::kAsyncStart) return CheckAsyncThread(context, op, id);
      if (!IsAsync(op.opcode())) CheckCalleeThread(context, op, attr, id);
    });
  }
}

}  // namespace hlo
