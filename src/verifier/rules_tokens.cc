// Tokens, the order they give, and control dependencies. Source: verifier.md 1.8, 1.11.
#include <algorithm>
#include <vector>

#include "verifier/rules.h"

namespace hlo {
namespace {

void CheckToken(const RuleContext& context, Rule rule, const OpView& op, int64_t i) {
  if (i >= op.operand_count() || op.operand_shape(i).IsToken()) return;
  context.Report(rule, op.operand_range(i), "operand {} of `{}` is `{}`, not a token", i,
                 OpcodeName(op.opcode()), ShapeText(op.operand_shape(i)));
}

void CheckTokenOperands(const RuleContext& context, const OpView& op) {
  if (op.opcode() == Opcode::kInfeed) CheckToken(context, Rule::kTokenInfeedOperand, op, 0);
  if (op.opcode() == Opcode::kOutfeed) CheckToken(context, Rule::kTokenOutfeedOperand, op, 1);
  if (op.opcode() == Opcode::kAddDependency) {
    CheckToken(context, Rule::kTokenAddDependencyOperand, op, 1);
  }
  if (op.opcode() == Opcode::kSend) CheckToken(context, Rule::kTokenSendRecvOperand, op, 1);
  if (op.opcode() == Opcode::kRecv) CheckToken(context, Rule::kTokenSendRecvOperand, op, 0);
  if (op.opcode() != Opcode::kAfterAll) return;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    CheckToken(context, Rule::kTokenAfterAllOperands, op, i);
  }
}

// In the order of the text each infeed (outfeed) must be reached from the one before: passes the
// number of the last one that reaches each instruction along operands and control predecessors.
// `reached_by` has a place for each instruction of the module.
void CheckTotalOrder(const RuleContext& context, const Computation& computation, Opcode opcode,
                     std::vector<int32_t>& reached_by) {
  const Module& module = context.module();
  int32_t count = 0;
  const Instruction* previous = nullptr;
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = module.instruction(id);
    int32_t& reached = reached_by[id.value];
    reached = 0;
    for (const Operand& operand : instruction.operands) {
      reached = std::max(reached, reached_by[operand.id.value]);
    }
    for (InstructionId predecessor : instruction.Get<Attr::kControlPredecessors>()) {
      reached = std::max(reached, reached_by[predecessor.value]);
    }
    if (instruction.opcode != opcode) continue;
    if (reached < count) {
      context.Report(Rule::kTokenInfeedOrder, instruction.opcode_range,
                     "nothing orders this `{}` after the one before", OpcodeName(opcode));
      context.Note(Rule::kTokenInfeedOrder, previous->opcode_range, "the one before");
    }
    reached = ++count;
    previous = &instruction;
  }
}

void CheckOrder(const RuleContext& context, const Computation& computation, Opcode opcode,
                std::vector<int32_t>& reached_by) {
  int64_t count = std::count_if(
      computation.instructions.begin(), computation.instructions.end(),
      [&](InstructionId id) { return context.module().instruction(id).opcode == opcode; });
  if (count > 1) CheckTotalOrder(context, computation, opcode, reached_by);
}

void CheckControlPredecessors(const RuleContext& context, const OpView& op) {
  InstructionList predecessors = op.Get<Attr::kControlPredecessors>();
  for (size_t i = 0; i < predecessors.size(); ++i) {
    bool is_repeated = std::find(predecessors.begin(), predecessors.begin() + i, predecessors[i]) !=
                       predecessors.begin() + i;
    if (!is_repeated) continue;
    context.Report(Rule::kControlDuplicate, op.attribute_range(Attr::kControlPredecessors),
                   "`{}` is listed twice", context.module().instruction(predecessors[i]).name);
    return;
  }
}

}  // namespace

void VerifyTokens(const RuleContext& context) {
  bool has_feeds = false;
  for (const Instruction& instruction : context.module().instructions()) {
    if (GetOpcodeInfo(instruction.opcode).family != OpcodeFamily::kEffects) continue;
    CheckTokenOperands(context, context.View(instruction));
    has_feeds |= instruction.opcode == Opcode::kInfeed || instruction.opcode == Opcode::kOutfeed;
  }
  if (!has_feeds || !context.IsOn(Rule::kTokenInfeedOrder)) return;
  std::vector<int32_t> reached_by(context.module().instructions().size());
  for (const Computation& computation : context.module().computations()) {
    CheckOrder(context, computation, Opcode::kInfeed, reached_by);
    CheckOrder(context, computation, Opcode::kOutfeed, reached_by);
  }
}

void VerifyControlDependencies(const RuleContext& context) {
  if (!context.IsOn(Rule::kControlDuplicate)) return;
  for (const Instruction& instruction : context.module().instructions()) {
    CheckControlPredecessors(context, context.View(instruction));
  }
}

}  // namespace hlo
