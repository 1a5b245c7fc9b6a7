// Runs the rules: facts first, then every instruction with its premises before its other rules,
// then the topics that look at the module as a whole. Findings are collected, silenced where a
// comment or an option says so, and handed on in the order of the text.
// Source: verifier.md 7, "Order of checks".
#include "verifier/verifier.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "inference/shape_inference.h"
#include "verifier/finding_collector.h"
#include "verifier/instruction_kind.h"
#include "verifier/placed_module.h"
#include "verifier/producer.h"
#include "verifier/result_shape.h"
#include "verifier/rules.h"
#include "verifier/shape_rules.h"

namespace hlo {
namespace {

void VerifyFamily(const RuleContext& context, const OpView& op) {
  switch (GetOpcodeInfo(op.opcode()).family) {
    case OpcodeFamily::kElementwise:
      return VerifyElementwise(context, op);
    case OpcodeFamily::kDataMovement:
      return VerifyDataMovement(context, op);
    case OpcodeFamily::kReduction:
      return VerifyReduction(context, op);
    case OpcodeFamily::kContraction:
      return VerifyContraction(context, op);
    case OpcodeFamily::kIndexing:
      return VerifyIndexing(context, op);
    case OpcodeFamily::kLinalg:
      return VerifyLinalg(context, op);
    case OpcodeFamily::kRandom:
      return VerifyRandom(context, op);
    case OpcodeFamily::kControlFlow:
      return VerifyControlFlow(context, op);
    case OpcodeFamily::kCollective:
      return VerifyCollective(context, op);
    case OpcodeFamily::kEffects:
      return VerifyEffects(context, op);
  }
}

// Whether an operand or the root of a called computation has a shape that is in doubt.
bool IsMisled(const RuleContext& context, const OpView& op) {
  bool is_misled = false;
  for (const Operand& operand : op.instruction().operands) {
    is_misled |= context.IsDoubtful(operand.id);
  }
  ForEachCall(op.instruction(), [&](Attr, ComputationId id) {
    is_misled |= context.IsDoubtful(context.module().computation(id).root);
  });
  return is_misled;
}

// Whether an unfinished asynchronous operation is an operand of what computes with it.
bool MisusesContext(const OpView& op) {
  if (IsAsync(op.opcode()) || MayHoldContext(op.instruction())) return false;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Opcode operand = op.operand(i).opcode;
    if (HasTrait(operand, kAsyncPart) && HasTrait(operand, kMakesContext)) return true;
  }
  return false;
}

// Whether the parser made the computation around `op` for an operation whose start it could not
// see, as inside of a loop: then there is an opcode and shapes, and no attributes.
bool IsStandIn(const RuleContext& context, const OpView& op) {
  const ComputationId id = op.instruction().computation;
  return id.valid() && context.module().computation(id).spelling == Spelling::kAsyncSugar &&
         !context.facts().IsAsyncWrapped(id);
}

void VerifyInstruction(const RuleContext& context, const OpView& op) {
  if (IsStandIn(context, op)) return;
  DiagnosticSink& sink = context.sink();
  const DiagnosticSink::Hold hold(sink);
  const size_t count_before = sink.diagnostics().size();
  const int64_t errors_before = sink.error_count();
  if (!CheckOperandCount(op, sink)) return;
  if (MisusesContext(op)) return;  // async.use-kind says so
  const bool has_premises = CheckResultShape(context, op);
  if (sink.error_count() != errors_before) {
    if (context.HasDoubtful() && IsMisled(context, op)) return sink.RewindTo(count_before);
    const std::string& rule = sink.diagnostics().back().rule;
    if (has_premises && IsReported(rule, context.options())) {
      context.AddDoubtful(context.module().id_of(op.instruction()), rule);
    }
  }
  if (!has_premises) return;
  CheckMixedPrecision(context, op);
  VerifyFamily(context, op);
}

// The topics that need premises of their own only: they run even when instructions are wrong.
void VerifyModuleTopics(const RuleContext& context) {
#define HLO_MODULE_TOPIC(Name) Verify##Name(context);
  HLO_MODULE_TOPICS(HLO_MODULE_TOPIC)
#undef HLO_MODULE_TOPIC
}

void RunRules(const RuleContext& context) {
  // Without names that resolve, parameters and roots, nothing else can be asked.
  if (!VerifyStructure(context)) return;
  for (const Instruction& instruction : context.module().instructions()) {
    VerifyInstruction(context, context.View(instruction));
  }
  VerifyModuleTopics(context);
}

// Whether the text of the instruction and the shapes of all its operands were read.
bool IsIntact(const OpView& op) {
  if (op.written_shape() == nullptr || IsBroken(op.instruction())) return false;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (op.operand(i).shape == nullptr) return false;
  }
  return true;
}

// For a module that was read with errors: what can be asked of an instruction by itself.
void RunRulesOnIntact(const RuleContext& context) {
  for (const Instruction& instruction : context.module().instructions()) {
    OpView op = context.View(instruction);
    if (IsIntact(op)) VerifyInstruction(context, op);
  }
  VerifyShapes(context);
}

using Runner = void (*)(const RuleContext&);

// Hands what the rules that `run` runs have to say to `collector`.
void Collect(const Module& module, const VerifyOptions& options, Runner run,
             DoubtfulShapes& doubtful, FindingCollector& collector) {
  ModuleFacts facts(module);
  DiagnosticSink sink(module.source());
  sink.DrainTo([&](std::vector<Diagnostic> findings) { collector.Add(std::move(findings)); });
  run(RuleContext(module, facts, options, collector.suppressions(), sink, doubtful));
  collector.Add(sink.TakeDiagnostics());
}

// Warnings and notes of the parser as `options` and comments let them through.
void FilterParseFindings(const FindingCollector& collector, const VerifyOptions& options,
                         TextFindings& parsed) {
  std::erase_if(parsed.findings, [&](Diagnostic& finding) {
    if (!collector.IsShown(finding)) return true;
    std::optional<Severity> severity = ReportedSeverity(finding.rule, finding.severity, options);
    finding.severity = severity.value_or(finding.severity);
    return !severity;
  });
  // What was left out is of the kinds that were kept: when nothing of them is shown, they are not
  // missing either.
  for (const Severity severity : {Severity::kWarning, Severity::kNote}) {
    const auto is_shown = std::ranges::count(parsed.findings, severity, &Diagnostic::severity) > 0;
    if (!is_shown) parsed.hidden.of(severity) = 0;
  }
}

// Whether it is told that the shape of instruction `id` itself is wrong.
bool IsBlamed(const Module& module, InstructionId id, const DoubtfulShapes& doubtful,
              const FindingCollector& collector) {
  const auto doubt = doubtful.find(id);
  if (doubt == doubtful.end()) return false;
  Diagnostic finding;
  finding.rule = doubt->second;
  finding.source = module.source();
  finding.range = module.instruction(id).shape_range;
  return collector.IsShown(finding);
}

// Where the root is to blame, its computation's signature is not.
void ReportClashes(const RecoveredModule& read, const DoubtfulShapes& doubtful,
                   const FindingCollector& collector, std::vector<Diagnostic>& findings) {
  DiagnosticSink sink(read.module.source());
  for (const SignatureClash& clash : read.signature_clashes) {
    if (IsBlamed(read.module, clash.root, doubtful, collector)) continue;
    ReportClash(clash, read.module, sink);
  }
  std::ranges::move(sink.TakeDiagnostics(), std::back_inserter(findings));
}

void HandOn(Diagnostic& finding, DiagnosticSink& sink) {
  sink.Report(finding.severity, finding.rule, finding.range, std::move(finding.message));
  for (DiagnosticNote& note : finding.notes) sink.AddNote(note.range, std::move(note.message));
  for (FixIt& fix : finding.fixes) sink.AddFix(fix.range, std::move(fix.replacement));
}

}  // namespace

void Verify(const Module& module, const VerifyOptions& options, DiagnosticSink& sink) {
  std::optional<PlacedModule> placed;
  if (PlacedModule::IsNeeded(module)) placed.emplace(module);
  const Module& verified = placed ? placed->module() : module;
  DoubtfulShapes doubtful;
  FindingCollector collector(verified, options);
  Collect(verified, options, RunRules, doubtful, collector);
  for (Diagnostic& finding : collector.Take().findings) {
    if (placed) placed->Name(finding);
    HandOn(finding, sink);
  }
}

void VerifyShape(const Shape& shape, DiagnosticSink& sink) {
  const Module module(sink.source());
  const VerifyOptions options;
  const Suppressions suppressions(module);
  DoubtfulShapes doubtful;
  ModuleFacts facts(module);
  const RuleContext context(module, facts, options, suppressions, sink, doubtful);
  CheckShape(ShapeReporter(context, {}), shape);
}

TextFindings VerifyText(const RecoveredModule& read, const VerifyOptions& options,
                        TextFindings parsed) {
  VerifyOptions rule_options = options;
  // The header may be what could not be read.
  if (!read.is_complete) rule_options.check_replica_groups = false;
  DoubtfulShapes doubtful;
  FindingCollector collector(read.module, rule_options);
  if (read.is_complete) FilterParseFindings(collector, options, parsed);
  Collect(read.module, rule_options, read.is_complete ? RunRules : RunRulesOnIntact, doubtful,
          collector);
  ReportClashes(read, doubtful, collector, parsed.findings);
  collector.Prepend(std::move(parsed));
  return collector.Take();
}

}  // namespace hlo
