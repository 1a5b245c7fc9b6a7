// Fusions and the computations they call. Source: verifier.md 1.12.
#include "absl/container/flat_hash_map.h"
#include "support/count_text.h"
#include "verifier/instruction_kind.h"
#include "verifier/result_shape.h"
#include "verifier/rules.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

void CheckParameters(const RuleContext& context, const OpView& op, const Computation& fused) {
  int64_t parameter_count = static_cast<int64_t>(fused.parameters.size());
  if (parameter_count > op.operand_count()) {
    context.Report(Rule::kFusionParamCount, op.opcode_range(), "`{}` has {}, the fusion has {}",
                   fused.name, CountText(parameter_count, "parameter"),
                   CountText(op.operand_count(), "operand"));
    return;
  }
  for (int64_t i = 0; i < parameter_count; ++i) {
    const Instruction& parameter = context.module().instruction(fused.parameters[i]);
    if (Compatible(op.operand_shape(i), *parameter.shape)) continue;
    if (context.IsDoubtful(op.instruction().operands[i].id)) continue;
    context.Report(Rule::kFusionParamShape, op.operand_range(i),
                   "operand {} is `{}`, parameter {} of `{}` is `{}`", i,
                   ShapeText(op.operand_shape(i)), i, fused.name, ShapeText(*parameter.shape));
    context.Note(Rule::kFusionParamShape, parameter.name_range, "the parameter");
  }
}

void CheckRoot(const RuleContext& context, const OpView& op, const Computation& fused) {
  const Instruction& root = context.module().root(fused);
  if (Compatible(*op.written_shape(), *root.shape) || context.IsDoubtful(fused.root)) return;
  context.Report(Rule::kFusionRootShape, op.shape_range(),
                 "the fusion is written as `{}`, the root of `{}` is `{}`",
                 ShapeText(*op.written_shape()), fused.name, ShapeText(*root.shape));
  context.Note(Rule::kFusionRootShape, root.name_range, "the root");
  if (!op.instruction().shape_range.empty()) {
    context.Fix(Rule::kFusionRootShape, op.instruction().shape_range,
                CorrectedShapeText(op, *root.shape));
  }
}

void CheckUse(const RuleContext& context, const Computation& fused) {
  for (InstructionId id : fused.instructions) {
    const Instruction& instruction = context.module().instruction(id);
    bool has_users = context.facts().HasUsers(id);
    if (id == fused.root) {
      if (!has_users) continue;
      context.Report(Rule::kFusionRootNoUsers, instruction.name_range,
                     "the root of the fused computation `{}` is used inside it", fused.name);
      context.Note(Rule::kFusionRootNoUsers,
                   context.module().instruction(context.facts().users(id)[0]).name_range, "here");
    } else if (!has_users && !HasSideEffect(instruction)) {
      context.Report(Rule::kFusionNonRootUsed, instruction.name_range,
                     "nobody uses `{}` in the fused computation `{}`", instruction.name,
                     fused.name);
    }
  }
}

void CheckAlias(const RuleContext& context, const OpView& op, const OperandAlias& alias) {
  SourceRange range = op.attribute_range(Attr::kOutputToOperandAliasing);
  auto report = [&](std::string what) {
    context.Report(Rule::kFusionAliasOperand, range, "{}", what);
  };
  if (alias.operand < 0 || alias.operand >= op.operand_count()) {
    return report(fmt::format("the result aliases operand {}, the fusion has {}", alias.operand,
                              CountText(op.operand_count(), "operand")));
  }
  const Shape* output = SubShape(*op.written_shape(), alias.output_index);
  if (output == nullptr) {
    return report(fmt::format("the result `{}` has no part `{}`", ShapeText(*op.written_shape()),
                              ShapeIndexText(alias.output_index)));
  }
  const Shape& operand_shape = op.operand_shape(alias.operand);
  const Shape* operand = SubShape(operand_shape, alias.operand_index);
  if (operand == nullptr) {
    return report(fmt::format("operand {}, `{}`, has no part `{}`", alias.operand,
                              ShapeText(operand_shape), ShapeIndexText(alias.operand_index)));
  }
  bool is_same = Compatible(*output, *operand) &&
                 (!context.layout_sensitive() || SameLayouts(*output, *operand, false));
  if (is_same) return;
  report(fmt::format("output `{}` is `{}`, the part of operand {} it aliases is `{}`",
                     ShapeIndexText(alias.output_index), ShapeTextWithLayout(*output),
                     alias.operand, ShapeTextWithLayout(*operand)));
}

void CheckDistinct(const RuleContext& context, const OpView& op) {
  if (!context.IsOn(Rule::kFusionOperandsDistinct)) return;
  absl::flat_hash_map<InstructionId, int64_t> first;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    auto [entry, is_new] = first.try_emplace(op.instruction().operands[i].id, i);
    if (is_new) continue;
    context.Report(Rule::kFusionOperandsDistinct, op.operand_range(i),
                   "operands {} and {} are both `{}`", entry->second, i, op.operand(i).name);
    return;
  }
}

void CheckCallers(const RuleContext& context, ComputationId id, const Computation& fused,
                  const OpView& op) {
  for (const CallSite& site : context.facts().callers(id)) {
    const Instruction& other = context.module().instruction(site.caller);
    if (other.opcode != Opcode::kFusion) continue;
    // The first fusion owns the computation; every further one is reported.
    if (&other == &op.instruction()) return CheckUse(context, fused);
    context.Report(Rule::kFusionUniqueCaller, op.attribute_range(Attr::kCalls),
                   "`{}` is already the computation of fusion `{}`", fused.name, other.name);
    context.Note(Rule::kFusionUniqueCaller, other.name_range, "the other fusion");
    return;
  }
}

}  // namespace

void VerifyFusions(const RuleContext& context) {
  for (const Instruction& instruction : context.module().instructions()) {
    if (instruction.opcode != Opcode::kFusion) continue;
    OpView op = context.View(instruction);
    ComputationId id = op.Get<Attr::kCalls>();
    if (!id.valid()) {
      context.Report(Rule::kFusionCallsOne, op.opcode_range(), "a fusion without `calls`");
      continue;
    }
    const Computation& fused = context.module().computation(id);
    CheckCallers(context, id, fused, op);
    CheckParameters(context, op, fused);
    CheckRoot(context, op, fused);
    for (const OperandAlias& alias : op.Get<Attr::kOutputToOperandAliasing>()) {
      CheckAlias(context, op, alias);
    }
    CheckDistinct(context, op);
  }
}

}  // namespace hlo
