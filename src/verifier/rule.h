// The rules and what the table says of them.
#ifndef HLOKIT_VERIFIER_RULE_H_
#define HLOKIT_VERIFIER_RULE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/opcode.h"
#include "ir/rule.h"
#include "support/diagnostic.h"

namespace hlo {

// Rules that run only when asked for by name.
enum class StrictOption : uint8_t {
#define HLO_STRICT_OPTION(Name, ...) k##Name,
#include "ir/rules.def"
};
inline constexpr int kStrictOptionCount = 0
#define HLO_STRICT_OPTION(...) +1
#include "ir/rules.def"
    ;
struct StrictOptionInfo {
  std::string_view text;  // what --strict takes
  std::string_view help;
};
const StrictOptionInfo& GetStrictOptionInfo(StrictOption option);
std::optional<StrictOption> ParseStrictOption(std::string_view text);

// Which modes are on. Source: verifier.md 0.3.
struct RuleModes {
  bool layout_sensitive = false;
  bool strict_precision = false;
  bool strict_docs = false;
  bool allow_unbounded = true;
  uint32_t strict_options = 0;  // bit per StrictOption

  // XLA's layout-sensitive verifier asks the target which opcodes may change layouts and memory
  // spaces, and both of its tests and its compilers have an answer.
  bool Has(StrictOption option) const {
    const bool is_about_layouts =
        option == StrictOption::kLayoutPreserving || option == StrictOption::kMemorySpaces;
    if (layout_sensitive && is_about_layouts) return true;
    return (strict_options >> static_cast<int>(option) & 1) != 0;
  }
  void Set(StrictOption option) { strict_options |= 1u << static_cast<int>(option); }
};

// How grave a rule is: normally, and in the one mode that changes it. Written in rules.def by the
// functions of namespace severity.
struct RuleSeverity {
  enum class Level : uint8_t { kOff, kNote, kWarning, kError };
  enum class Mode : uint8_t {
    kNone,
    kLayoutSensitive,
    kStrictPrecision,
    kNoUnbounded,
    kStrictOption,
    kPerformance,
    kBuilder,    // a precondition of the builder's functions: text cannot break it
    kUnchecked,  // nobody can check it
    kStage,      // another stage than the verifier reports it
  };
  Level normal = Level::kError;
  Mode mode = Mode::kNone;
  Level in_mode = Level::kError;
  StrictOption option = {};
  std::string_view code;  // as the catalogue writes it: "E[P]/W"
};

struct RuleInfo {
  std::string_view id;  // "fusion.kind"
  std::string_view text;
  RuleSeverity severity;
  std::string_view source;  // codes of verifier.md 0.2: "X,OS:Send"
};
const RuleInfo& GetRuleInfo(Rule rule);

// The id that Rule::kResultShape has for instructions of `opcode`: "add.result-shape".
std::string ResultShapeId(Opcode opcode);

// The rule of an id; every `<opcode>.result-shape` is kResultShape.
std::optional<Rule> FindRule(std::string_view id);

// The severity of `rule` in these modes; nothing when it does not run. Rules of mode kPerformance
// run when `performance` is true.
std::optional<Severity> SeverityIn(Rule rule, const RuleModes& modes, bool performance = false);

// Whether `pattern` ("all", "fusion.kind" or "fusion") covers the rule `id`.
bool MatchesRulePattern(std::string_view pattern, std::string_view id);
// Whether any rule is covered, for messages about misspelt patterns.
bool IsRulePattern(std::string_view pattern);

// What the source codes say, in words: "checked by XLA's shape inference or verifier".
std::string DescribeSource(std::string_view source_codes);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_RULE_H_
