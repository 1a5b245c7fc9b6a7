// What a rule sees: the module, what was derived from it once, the options, and where to report.
#ifndef HLOKIT_VERIFIER_RULE_CONTEXT_H_
#define HLOKIT_VERIFIER_RULE_CONTEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "absl/container/flat_hash_map.h"
#include "ir/device_groups.h"
#include "ir/module.h"
#include "ir/op_view.h"
#include "support/diagnostic.h"
#include "verifier/module_facts.h"
#include "verifier/rule.h"
#include "verifier/suppression.h"
#include "verifier/verifier.h"

namespace hlo {

// Whether --select and --ignore let findings of rule `id` through.
bool IsReported(std::string_view id, const VerifyOptions& options);

// The severity to show a finding of rule `id` with, which has `severity` by itself: --strict-docs,
// --notes, --warn and -Werror decide. Nothing: it is not shown.
std::optional<Severity> ReportedSeverity(std::string_view id, Severity severity,
                                         const VerifyOptions& options);

// Instructions whose written shape clashes with their operands, and the rule that says so. Who
// believes that shape, or has the one it should be, is not to blame.
using DoubtfulShapes = absl::flat_hash_map<InstructionId, std::string>;

class RuleContext {
 public:
  // `doubtful` is filled while rules run.
  RuleContext(const Module& module, const ModuleFacts& facts, const VerifyOptions& options,
              const Suppressions& suppressions, DiagnosticSink& sink, DoubtfulShapes& doubtful);

  const Module& module() const { return *module_; }
  const ModuleFacts& facts() const { return *facts_; }
  const VerifyOptions& options() const { return *options_; }
  // How many devices the module is made for: its own word, or what the options say.
  const DeviceCounts& devices() const { return devices_; }
  bool layout_sensitive() const { return options_->modes.layout_sensitive; }
  DiagnosticSink& sink() const { return *sink_; }
  OpView View(const Instruction& instruction) const { return OpView(*module_, instruction); }

  // What comments say about rules.
  const Suppressions& suppressions() const { return *suppressions_; }
  // Whether a comment silences `rule` at `range`.
  bool IsSilenced(Rule rule, SourceRange range) const;
  // Whether `rule` is reported at all: asked before work that only this rule needs.
  bool IsOn(Rule rule) const { return severities_[static_cast<size_t>(rule)].has_value(); }

  // The place of `part` in the text at `range`, or all of `range` where it stands there not at all
  // or several times.
  SourceRange Within(SourceRange range, std::string_view part) const;

  // Reports `rule` at `range` with its severity under the options; nothing when it is off.
  // <opcode>.result-shape is for ReportResultShape.
  template <typename... Args>
  Failure Report(Rule rule, SourceRange range, fmt::format_string<Args...> format,
                 Args&&... args) const {
    if (const auto& severity = severities_[static_cast<size_t>(rule)]) {
      sink_->Report(*severity, RuleId(rule), range,
                    fmt::format(format, std::forward<Args>(args)...));
    }
    return Failure();
  }
  // The same for the few rules whose severity depends on the case.
  template <typename... Args>
  Failure ReportAs(Severity severity, Rule rule, SourceRange range,
                   fmt::format_string<Args...> format, Args&&... args) const {
    if (std::optional<Severity> adjusted = AdjustedSeverity(rule, severity)) {
      sink_->Report(*adjusted, RuleId(rule), range,
                    fmt::format(format, std::forward<Args>(args)...));
    }
    return Failure();
  }
  // Reports `<opcode>.result-shape` at the written shape.
  template <typename... Args>
  Failure ReportResultShape(const OpView& op, fmt::format_string<Args...> format,
                            Args&&... args) const {
    const std::string id = ResultShapeId(op.opcode());
    sink_->Report(Severity::kError, id, op.shape_range(),
                  fmt::format(format, std::forward<Args>(args)...));
    return Failure();
  }
  // A second place of what Report said about `rule` a moment ago.
  template <typename... Args>
  void Note(Rule rule, SourceRange range, fmt::format_string<Args...> format,
            Args&&... args) const {
    if (IsLastReport(rule)) sink_->Note(range, format, std::forward<Args>(args)...);
  }
  void AddDoubtful(InstructionId id, std::string rule) const {
    doubtful_->try_emplace(id, std::move(rule));
  }
  bool HasDoubtful() const { return !doubtful_->empty(); }
  bool IsDoubtful(InstructionId id) const { return doubtful_->contains(id); }

  void Fix(Rule rule, SourceRange range, std::string replacement) const {
    if (IsLastReport(rule)) sink_->AddFix(range, std::move(replacement));
  }

 private:
  std::optional<Severity> AdjustedSeverity(Rule rule, Severity severity) const;
  bool IsLastReport(Rule rule) const;

  const Module* module_;
  const ModuleFacts* facts_;
  const VerifyOptions* options_;
  DeviceCounts devices_;
  const Suppressions* suppressions_;
  DiagnosticSink* sink_;
  std::vector<std::optional<Severity>> severities_;  // by rule
  DoubtfulShapes* doubtful_;
};

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_RULE_CONTEXT_H_
