// Which rules run, and with what severity, is settled here once for the whole module.
#include "verifier/rule_context.h"

namespace hlo {
namespace {

bool MatchesAny(const std::vector<std::string>& patterns, std::string_view id) {
  for (const std::string& pattern : patterns) {
    if (MatchesRulePattern(pattern, id)) return true;
  }
  return false;
}

// Whether --warn leaves the warnings of rule `id` on: the last pattern that matches decides.
bool IsWarningOn(const std::vector<std::string>& patterns, std::string_view id) {
  bool is_on = true;
  for (std::string_view pattern : patterns) {
    if (pattern == "none") {
      is_on = false;
    } else if (pattern.starts_with("no-") && MatchesRulePattern(pattern.substr(3), id)) {
      is_on = false;
    } else if (MatchesRulePattern(pattern, id)) {
      is_on = true;
    }
  }
  return is_on;
}

// What the reporting options make of `severity`; nothing when it is not shown.
std::optional<Severity> Adjusted(Severity severity, std::string_view id,
                                 const VerifyOptions& options) {
  if (severity == Severity::kNote && !options.notes) return std::nullopt;
  if (severity == Severity::kWarning) {
    if (!IsWarningOn(options.warnings, id)) return std::nullopt;
    if (options.warnings_are_errors) return Severity::kError;
  }
  return severity;
}

}  // namespace

bool IsReported(std::string_view id, const VerifyOptions& options) {
  if (!options.select.empty() && !MatchesAny(options.select, id)) return false;
  return !MatchesAny(options.ignore, id);
}

std::optional<Severity> ReportedSeverity(std::string_view id, Severity severity,
                                         const VerifyOptions& options) {
  std::optional<Rule> rule = FindRule(id);
  if (severity == Severity::kWarning && rule) {
    severity = SeverityIn(*rule, options.modes).value_or(severity);
  }
  return Adjusted(severity, id, options);
}

RuleContext::RuleContext(const Module& module, const ModuleFacts& facts,
                         const VerifyOptions& options, const Suppressions& suppressions,
                         DiagnosticSink& sink, DoubtfulShapes& doubtful)
    : module_(&module),
      facts_(&facts),
      options_(&options),
      devices_(DeviceCountsOf(module, options.devices)),
      suppressions_(&suppressions),
      sink_(&sink),
      severities_(kRuleCount),
      doubtful_(&doubtful) {
  for (int i = 0; i < kRuleCount; ++i) {
    Rule rule = static_cast<Rule>(i);
    std::optional<Severity> severity = SeverityIn(rule, options.modes, options.lint_performance);
    if (severity && IsReported(RuleId(rule), options)) {
      severities_[i] = Adjusted(*severity, RuleId(rule), options);
    }
  }
}

bool RuleContext::IsSilenced(Rule rule, SourceRange range) const {
  if (suppressions_->empty()) return false;
  Diagnostic finding;
  finding.rule = RuleId(rule);
  finding.source = module_->source();
  finding.range = range;
  return suppressions_->Covers(finding);
}

SourceRange RuleContext::Within(SourceRange range, std::string_view part) const {
  if (range.empty()) return range;
  const std::string_view text = module_->source()->text(range);
  const size_t at = text.find(part);
  if (at == std::string_view::npos || text.find(part, at + 1) != std::string_view::npos) {
    return range;
  }
  const uint32_t begin = range.begin + static_cast<uint32_t>(at);
  return {begin, begin + static_cast<uint32_t>(part.size())};
}

std::optional<Severity> RuleContext::AdjustedSeverity(Rule rule, Severity severity) const {
  if (!IsReported(RuleId(rule), *options_)) return std::nullopt;
  return Adjusted(severity, RuleId(rule), *options_);
}

bool RuleContext::IsLastReport(Rule rule) const {
  const std::vector<Diagnostic>& diagnostics = sink_->diagnostics();
  if (diagnostics.empty()) return false;
  std::optional<Rule> last = FindRule(diagnostics.back().rule);
  return last == rule;
}

}  // namespace hlo
