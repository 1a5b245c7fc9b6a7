// Runs the rules: facts first, then every instruction with its premises before its other rules,
// then the topics that look at the module as a whole. Findings are collected, silenced where a
// comment or an option says so, and handed on in the order of the text.
// Source: verifier.md 7, "Order of checks".
#include "verifier/verifier.h"

#include <algorithm>
#include <utility>

#include "inference/shape_inference.h"
#include "verifier/result_shape.h"
#include "verifier/rules.h"
#include "verifier/suppression.h"

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

void VerifyInstruction(const RuleContext& context, const OpView& op) {
  if (!CheckOperandCount(op, context.sink())) return;
  if (!CheckResultShape(context, op)) return;
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

void EraseSilenced(const Module& module, const VerifyOptions& options,
                   std::vector<Diagnostic>& findings) {
  Suppressions suppressions(module);
  std::erase_if(findings, [&](const Diagnostic& finding) {
    return !IsReported(finding.rule, options) || suppressions.Covers(finding);
  });
}

// The findings that are shown, in the order of the text.
std::vector<Diagnostic> Filtered(const Module& module, std::vector<Diagnostic> findings,
                                 const VerifyOptions& options) {
  EraseSilenced(module, options, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.range.begin < b.range.begin;
  });
  return findings;
}

void HandOn(Diagnostic& finding, DiagnosticSink& sink) {
  sink.Report(finding.severity, finding.rule, finding.range, std::move(finding.message));
  for (DiagnosticNote& note : finding.notes) sink.AddNote(note.range, std::move(note.message));
  for (FixIt& fix : finding.fixes) sink.AddFix(fix.range, std::move(fix.replacement));
}

}  // namespace

void Verify(const Module& module, const VerifyOptions& options, DiagnosticSink& sink) {
  ModuleFacts facts(module);
  DiagnosticSink found(module.source());
  RunRules(RuleContext(module, facts, options, found));

  int64_t error_count = 0;
  for (Diagnostic& finding : Filtered(module, found.TakeDiagnostics(), options)) {
    if (finding.severity == Severity::kError && options.max_errors > 0 &&
        ++error_count > options.max_errors) {
      continue;
    }
    HandOn(finding, sink);
  }
}

std::vector<Diagnostic> FilterParseFindings(const Module& module, const VerifyOptions& options,
                                            std::vector<Diagnostic> findings) {
  EraseSilenced(module, options, findings);
  std::erase_if(findings, [&](Diagnostic& finding) {
    std::optional<Severity> severity = ReportedSeverity(finding.rule, finding.severity, options);
    finding.severity = severity.value_or(finding.severity);
    return !severity;
  });
  return findings;
}

}  // namespace hlo
