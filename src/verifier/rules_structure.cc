// What every other rule builds on: computations with instructions, roots and parameters, operands
// that stay inside their computation, and a call graph without cycles. The parser guarantees most
// of it; modules made in code need the check. Source: verifier.md 1.1 to 1.3.
#include "verifier/rules.h"

namespace hlo {
namespace {

bool CheckParameters(const RuleContext& context, const Computation& computation) {
  const Module& module = context.module();
  std::vector<const Instruction*> by_number(computation.parameters.size(), nullptr);
  bool is_ok = true;
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = module.instruction(id);
    if (instruction.opcode != Opcode::kParameter) continue;
    int64_t number = instruction.Get<Attr::kParameterNumber>();
    if (number < 0 || number >= static_cast<int64_t>(by_number.size())) {
      is_ok = context.Report(Rule::kCompParamsContiguous, instruction.name_range,
                             "parameter {} in a computation of {} parameters", number,
                             by_number.size());
    } else if (by_number[number] != nullptr) {
      is_ok = context.Report(Rule::kCompParamNumberUnique, instruction.name_range,
                             "a second parameter {}", number);
      context.Note(Rule::kCompParamNumberUnique, by_number[number]->name_range, "the first one");
    } else {
      by_number[number] = &instruction;
    }
  }
  return is_ok;
}

bool CheckOperands(const RuleContext& context, ComputationId id, const Computation& computation) {
  bool is_ok = true;
  for (InstructionId instruction_id : computation.instructions) {
    OpView op = context.View(context.module().instruction(instruction_id));
    for (int64_t i = 0; i < op.operand_count(); ++i) {
      if (op.operand(i).computation == id) continue;
      is_ok = context.Report(Rule::kRefOperandDefined, op.operand_range(i),
                             "operand `{}` belongs to another computation", op.operand(i).name);
    }
  }
  return is_ok;
}

bool CheckComputation(const RuleContext& context, ComputationId id) {
  const Computation& computation = context.module().computation(id);
  if (computation.instructions.empty() || !computation.root.valid()) {
    return context.Report(Rule::kCompNonempty, computation.name_range,
                          "computation `{}` has no instructions", computation.name);
  }
  bool has_parameters = CheckParameters(context, computation);
  bool has_operands = CheckOperands(context, id, computation);
  return has_parameters && has_operands;
}

bool CheckCallCycle(const RuleContext& context) {
  InstructionId caller = context.facts().cycle_caller();
  if (!caller.valid()) return true;
  const Instruction& instruction = context.module().instruction(caller);
  return context.Report(Rule::kModuleCallCycle, instruction.name_range,
                        "`{}` makes computation `{}` call itself", instruction.name,
                        context.module().computation(instruction.computation).name);
}

}  // namespace

bool VerifyStructure(const RuleContext& context) {
  if (context.module().name().empty()) {
    context.Report(Rule::kModuleNameNonempty, context.module().name_range(),
                   "the module has no name");
  }
  bool is_ok = true;
  for (size_t i = 0; i < context.module().computations().size(); ++i) {
    is_ok = CheckComputation(context, ComputationId(i)) && is_ok;
  }
  return CheckCallCycle(context) && is_ok;
}

}  // namespace hlo
