// The rule table and what its columns mean under given modes. Source: verifier.md 0.1 to 0.3.
#include "verifier/rule.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo {
namespace {

constexpr std::string_view kResultShapeSuffix = ".result-shape";

// --- The severity column -------------------------------------------------------------------------

using Level = RuleSeverity::Level;
using Mode = RuleSeverity::Mode;

constexpr RuleSeverity Always(Level level, std::string_view code) {
  return {level, Mode::kNone, level, {}, code};
}
constexpr RuleSeverity Error() { return Always(Level::kError, "E"); }
constexpr RuleSeverity Warning() { return Always(Level::kWarning, "W"); }
constexpr RuleSeverity Note() { return Always(Level::kNote, "N"); }
// Documented, gives the operation its meaning, and XLA does not look.
constexpr RuleSeverity Documented() { return Always(Level::kError, "E!"); }
constexpr RuleSeverity Layout() {
  return {Level::kOff, Mode::kLayoutSensitive, Level::kError, {}, "E[L]"};
}
constexpr RuleSeverity WarningOrLayout() {
  return {Level::kWarning, Mode::kLayoutSensitive, Level::kError, {}, "W, E[L]"};
}
// The rule itself says which findings become errors in layout-sensitive mode.
constexpr RuleSeverity NoteOrLayout() { return Always(Level::kNote, "N, E[L]"); }
constexpr RuleSeverity Precision() {
  return {Level::kWarning, Mode::kStrictPrecision, Level::kError, {}, "E[P]/W"};
}
constexpr RuleSeverity Unbounded() {
  return {Level::kWarning, Mode::kNoUnbounded, Level::kError, {}, "W, E[U]"};
}
constexpr RuleSeverity Strict(StrictOption option) {
  return {Level::kOff, Mode::kStrictOption, Level::kError, option, "E[S]"};
}
constexpr RuleSeverity Performance() {
  return {Level::kOff, Mode::kPerformance, Level::kWarning, {}, "perf"};
}
constexpr RuleSeverity Builder() {
  return {Level::kOff, Mode::kBuilder, Level::kError, {}, "builder"};
}
constexpr RuleSeverity Stage(Level level) { return {level, Mode::kStage, level, {}, "stage"}; }
constexpr RuleSeverity Unchecked() { return {Level::kOff, Mode::kUnchecked, Level::kOff, {}, "-"}; }

// --- The table -----------------------------------------------------------------------------------

constexpr RuleInfo kRules[] = {
#define HLO_RULE(Name, id, severity, source, text) {id, text, severity, source},
#include "ir/rules.def"
};

constexpr StrictOptionInfo kStrictOptions[] = {
#define HLO_STRICT_OPTION(Name, text, help) {text, help},
#include "ir/rules.def"
};

// The rules in the order of their ids.
constexpr auto kRulesById = [] {
  std::array<uint16_t, kRuleCount> order{};
  for (int i = 0; i < kRuleCount; ++i) order[i] = static_cast<uint16_t>(i);
  std::sort(order.begin(), order.end(),
            [](uint16_t a, uint16_t b) { return kRules[a].id < kRules[b].id; });
  return order;
}();

// Whether --strict-docs makes an error of a warning with these sources: a current document says
// so, and not the one of 2018 alone.
bool IsDocumented(std::string_view sources) {
  for (std::string_view code : {"OS:", "BC", "SL"}) {
    if (sources.find(code) != std::string_view::npos) return true;
  }
  return false;
}

bool IsModeOn(const RuleSeverity& severity, const RuleModes& modes, bool performance) {
  switch (severity.mode) {
    case Mode::kNone:
      return false;
    case Mode::kLayoutSensitive:
      return modes.layout_sensitive;
    case Mode::kStrictPrecision:
      return modes.strict_precision;
    case Mode::kNoUnbounded:
      return !modes.allow_unbounded;
    case Mode::kStrictOption:
      return modes.Has(severity.option);
    case Mode::kPerformance:
      return performance;
    case Mode::kBuilder:
      return false;
    case Mode::kStage:
    case Mode::kUnchecked:
      return false;
  }
  return false;
}

std::optional<Severity> ToSeverity(Level level) {
  switch (level) {
    case Level::kOff:
      return std::nullopt;
    case Level::kNote:
      return Severity::kNote;
    case Level::kWarning:
      return Severity::kWarning;
    case Level::kError:
      return Severity::kError;
  }
  return std::nullopt;
}

struct SourceCode {
  std::string_view code;
  std::string_view meaning;
};
constexpr SourceCode kSourceCodes[] = {
    {"X", "XLA's shape inference or module verifier"},
    {"P", "XLA's text reader"},
    {"B", "XLA's graph builder"},
    {"BC", "the broadcasting document"},
    {"SL", "the shapes and layout document"},
    {"IA", "the indexing analysis document"},
};

std::string DescribeCode(std::string_view code) {
  for (const SourceCode& known : kSourceCodes) {
    if (known.code == code) return std::string(known.meaning);
  }
  size_t colon = code.find(':');
  std::string_view document = code.substr(0, colon);
  std::string_view section = colon == std::string_view::npos ? "" : code.substr(colon + 1);
  if (document == "OS") return fmt::format("operation semantics, {}", section);
  if (document == "OS18") return fmt::format("operation semantics of 2018, {}", section);
  if (document == "D") return fmt::format("the page about {}", section);
  return std::string(code);
}

}  // namespace

const RuleInfo& GetRuleInfo(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

const StrictOptionInfo& GetStrictOptionInfo(StrictOption option) {
  return kStrictOptions[static_cast<size_t>(option)];
}

std::optional<StrictOption> ParseStrictOption(std::string_view text) {
  for (int i = 0; i < kStrictOptionCount; ++i) {
    if (kStrictOptions[i].text == text) return static_cast<StrictOption>(i);
  }
  return std::nullopt;
}

std::string ResultShapeId(Opcode opcode) {
  return fmt::format("{}{}", OpcodeName(opcode), kResultShapeSuffix);
}

std::optional<Rule> FindRule(std::string_view id) {
  auto found =
      std::lower_bound(kRulesById.begin(), kRulesById.end(), id,
                       [](uint16_t rule, std::string_view key) { return kRules[rule].id < key; });
  if (found != kRulesById.end() && kRules[*found].id == id) return static_cast<Rule>(*found);
  if (id.ends_with(kResultShapeSuffix) &&
      ParseOpcode(id.substr(0, id.size() - kResultShapeSuffix.size()))) {
    return Rule::kResultShape;
  }
  return std::nullopt;
}

std::optional<Severity> SeverityIn(Rule rule, const RuleModes& modes, bool performance) {
  const RuleInfo& info = GetRuleInfo(rule);
  Level level =
      IsModeOn(info.severity, modes, performance) ? info.severity.in_mode : info.severity.normal;
  if (level == Level::kWarning && modes.strict_docs && IsDocumented(info.source)) {
    level = Level::kError;
  }
  return ToSeverity(level);
}

bool MatchesRulePattern(std::string_view pattern, std::string_view id) {
  if (pattern == "all" || pattern == id) return true;
  if (pattern == "result-shape") return id.ends_with(kResultShapeSuffix);
  return id.size() > pattern.size() && id[pattern.size()] == '.' && id.starts_with(pattern);
}

bool IsRulePattern(std::string_view pattern) {
  if (FindRule(pattern)) return true;
  return std::any_of(std::begin(kRules), std::end(kRules),
                     [&](const RuleInfo& info) { return MatchesRulePattern(pattern, info.id); });
}

std::string DescribeSource(std::string_view source_codes) {
  if (source_codes.empty()) return "hlokit's own";
  std::vector<std::string> parts;
  while (!source_codes.empty()) {
    size_t comma = source_codes.find(',');
    parts.push_back(DescribeCode(source_codes.substr(0, comma)));
    source_codes = comma == std::string_view::npos ? "" : source_codes.substr(comma + 1);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace hlo
