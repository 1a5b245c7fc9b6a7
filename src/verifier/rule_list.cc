// Everything here comes from ir/rules.def and, for the examples, from the goldens in
// testdata/verify, which the build embeds: no second list.
#include "verifier/rule_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "support/count_text.h"
#include "support/render_diagnostic.h"

namespace hlo {
namespace {

// Not constexpr: the texts are more than clang evaluates at compile time.
const RuleExample kExamples[] = {
#include "verifier/rule_examples.inc"
};

std::string_view GroupOf(std::string_view id) { return id.substr(0, id.find('.')); }

// Text with the characters that a table cell cannot hold.
std::string MarkdownCell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    if (c == '|' || c == '<') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string SeverityText(const RuleSeverity& severity) {
  using Level = RuleSeverity::Level;
  auto word = [](Level level) -> std::string_view {
    switch (level) {
      case Level::kOff:
        return "off";
      case Level::kNote:
        return "note";
      case Level::kWarning:
        return "warning";
      case Level::kError:
        return "error";
    }
    return "";
  };
  auto with = [&](std::string_view option) {
    return fmt::format("{}, with {} {}", word(severity.normal), option, word(severity.in_mode));
  };
  switch (severity.mode) {
    case RuleSeverity::Mode::kNone:
      return std::string(word(severity.normal));
    case RuleSeverity::Mode::kLayoutSensitive:
      return with("--layout-sensitive");
    case RuleSeverity::Mode::kStrictPrecision:
      return with("--strict-precision");
    case RuleSeverity::Mode::kNoUnbounded:
      return with("--no-unbounded");
    case RuleSeverity::Mode::kStrictOption:
      return with(fmt::format("--strict={}", GetStrictOptionInfo(severity.option).text));
    case RuleSeverity::Mode::kPerformance:
      return with("--lint=perf");
    case RuleSeverity::Mode::kBuilder:
      return "checked by the builder";
    case RuleSeverity::Mode::kUnchecked:
      return "not checkable";
    case RuleSeverity::Mode::kStage:
      return fmt::format("{}, of another stage", word(severity.normal));
  }
  return "";
}

std::string Indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1);
    if (end > 0) result += "  ";
    result += text.substr(0, end + 1);
    text.remove_prefix(end + 1);
  }
  return result;
}

// What the codes of the severity column mean, for those who read the list.
struct SeverityCode {
  std::string_view code;
  std::string_view meaning;
};
constexpr SeverityCode kSeverityCodes[] = {
    {"E", "error"},
    {"E!",
     "error although XLA does not look: the documents demand it, without it nothing is meant"},
    {"E[L]", "error with --layout-sensitive, else not checked"},
    {"E[P]/W", "error with --strict-precision, else a warning"},
    {"E[S]", "error with an option of --strict, else not checked"},
    {"W", "warning; an error with --strict-docs where a current document demands it"},
    {"W, E[L]", "warning; an error with --layout-sensitive"},
    {"W, E[U]", "warning; an error with --no-unbounded"},
    {"N", "note, shown with --notes"},
    {"N, E[L]", "note; some of its findings are errors with --layout-sensitive"},
    {"perf", "warning with --lint=perf, else not checked"},
    {"builder", "checked by the builder: text cannot break it"},
    {"stage", "reported by another stage: the reader, the formatter, a run"},
    {"-", "not checkable"},
};

std::string RuleLine(const RuleInfo& rule) {
  return fmt::format("{:<42} {:<8} {}\n", rule.id, rule.severity.code, rule.text);
}

template <typename Function>
void ForEachRule(Function function) {
  for (int i = 0; i < kRuleCount; ++i) function(GetRuleInfo(static_cast<Rule>(i)));
}

}  // namespace

RuleExample GetRuleExample(Rule rule) {
  std::string_view id = RuleId(rule);
  if (rule == Rule::kResultShape) id = "result-shape";
  for (const RuleExample& example : kExamples) {
    if (example.id == id) return example;
  }
  return {id, "", ""};
}

std::string RuleListText() {
  std::string text;
  ForEachRule([&](const RuleInfo& rule) { text += RuleLine(rule); });
  text += "\nThe second column:\n";
  for (const SeverityCode& code : kSeverityCodes) {
    text += fmt::format("  {:<8} {}\n", code.code, code.meaning);
  }
  return text;
}

std::string RuleListJson() {
  std::string text;
  ForEachRule([&](const RuleInfo& rule) {
    fmt::format_to(std::back_inserter(text),
                   "{}  {{\"id\": \"{}\", \"severity\": \"{}\", \"sources\": \"{}\", \"text\": "
                   "\"{}\"}}",
                   text.empty() ? "[\n" : ",\n", EscapeJson(rule.id),
                   EscapeJson(SeverityText(rule.severity)), EscapeJson(rule.source),
                   EscapeJson(rule.text));
  });
  return text + "\n]\n";
}

std::string RuleListMarkdown() {
  std::string text = fmt::format(
      "# Rules of hlo-verify\n\n"
      "{} rules, generated by `hlo-verify --list-rules --format=markdown`. `hlo-verify "
      "--explain=RULE` adds an example of each.\n",
      kRuleCount);
  std::string_view group;
  ForEachRule([&](const RuleInfo& rule) {
    if (GroupOf(rule.id) != group) {
      group = GroupOf(rule.id);
      fmt::format_to(
          std::back_inserter(text),
          "\n## {}\n\n| rule | severity | what must hold | source |\n|---|---|---|---|\n",
          MarkdownCell(group));
    }
    fmt::format_to(std::back_inserter(text), "| `{}` | {} | {} | {} |\n", rule.id,
                   SeverityText(rule.severity), MarkdownCell(rule.text),
                   DescribeSource(rule.source));
  });
  return text;
}

std::string ExplainRule(Rule rule) {
  const RuleInfo& info = GetRuleInfo(rule);
  std::string text = fmt::format("{}: {}\n\nseverity: {}\nsource:   {}\n", info.id, info.text,
                                 SeverityText(info.severity), DescribeSource(info.source));
  RuleExample example = GetRuleExample(rule);
  if (!example.bad.empty()) text += fmt::format("\nbreaks it:\n\n{}", Indented(example.bad));
  if (!example.good.empty()) text += fmt::format("\nkeeps it:\n\n{}", Indented(example.good));
  const bool is_checked = info.severity.mode != RuleSeverity::Mode::kBuilder &&
                          info.severity.mode != RuleSeverity::Mode::kStage &&
                          info.severity.mode != RuleSeverity::Mode::kUnchecked;
  if (is_checked && example.bad.empty()) text += "\nno text breaks it: modules made in code may\n";
  return text;
}

std::string ExplainGroup(std::string_view group) {
  std::string text;
  int count = 0;
  std::string_view example;
  ForEachRule([&](const RuleInfo& rule) {
    if (!MatchesRulePattern(group, rule.id)) return;
    fmt::format_to(std::back_inserter(text), "\n{}: {}\n  severity: {}\n  source:   {}\n", rule.id,
                   rule.text, SeverityText(rule.severity), DescribeSource(rule.source));
    if (count++ == 0) example = rule.id;
  });
  if (count == 0) return "";
  return fmt::format("{}: {}; `--explain={}` adds examples\n", group, CountText(count, "rule"),
                     example) +
         text;
}

std::vector<std::string_view> RuleGroups() {
  std::vector<std::string_view> groups;
  ForEachRule([&](const RuleInfo& rule) {
    if (std::ranges::count(groups, GroupOf(rule.id)) == 0) groups.push_back(GroupOf(rule.id));
  });
  return groups;
}

}  // namespace hlo
