// Whether a module keeps the rules of HLO: the catalogue of ir/rules.def, checked on the IR.
#ifndef HLOKIT_VERIFIER_VERIFIER_H_
#define HLOKIT_VERIFIER_VERIFIER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/device_groups.h"
#include "ir/module.h"
#include "ir/recovered_module.h"
#include "support/diagnostic.h"
#include "verifier/rule.h"

namespace hlo {

struct VerifyOptions {
  // Modes of verifier.md 0.3 and the severity they give: see RuleSeverity in rule.h.
  RuleModes modes;
  bool check_replica_groups = true;  // the rules collective.group-*
  // For modules whose header does not say how many there are; 1: nobody says it.
  DeviceCounts devices;
  bool heed_comments = true;      // `// hlo-verify: allow(rule.id)` silences findings
  bool notes = false;             // report findings of severity "note" too
  bool lint_performance = false;  // the rules perf.*

  // Rule patterns: an id ("fusion.kind"), the part of it before a dot ("fusion"), or "all".
  std::vector<std::string> select;  // when not empty: report these rules only
  std::vector<std::string> ignore;  // never report these
  std::vector<std::string>
      warnings;  // read in order: "all", "none", a pattern, "no-" and a pattern
  bool warnings_are_errors = false;

  // At most so many findings are reported for one module.
  DiagnosticLimits limits = {.errors = 50, .warnings = 50};
};

// Reports every rule that `module` breaks, in the order of the text. One mistake makes one message:
// an instruction whose operands or attributes fail the premises of its opcode is not looked at by
// other rules and counts for its users with the shape it was written with; where that shape is what
// is wrong, the users' premises wait until it is settled.
// Comments in the text, `// hlo-verify: allow(rule.id)`, silence a rule (suppression.h).
// A note names what no text stands for: "in instruction `add` of computation `main`".
// `module` must come from ParseModule or a builder: ids in range, every shape present.
void Verify(const Module& module, const VerifyOptions& options, DiagnosticSink& sink);

// Reports what is wrong with `shape` by itself: sizes, tuple elements, layouts. For programs that
// make modules; of modules Verify asks it. Depth and number of parts are for inference.
void VerifyShape(const Shape& shape, DiagnosticSink& sink);

// What there is to say about a text, in its order.
struct TextFindings {
  std::vector<Diagnostic> findings;
  DiagnosticCounts hidden;  // those beyond the limits, which are left out
};

// Verifies what was just read from a text of which the parser said `parsed`. When the module is
// complete those are warnings and notes, which options and comments may silence. When it is not,
// each instruction that could be read, with its operands, is checked by itself: rules about the
// module as a whole would blame what was read for what is missing.
TextFindings VerifyText(const RecoveredModule& read, const VerifyOptions& options,
                        TextFindings parsed);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_VERIFIER_H_
