// The rules for people and programs to read.
#ifndef HLOKIT_VERIFIER_RULE_LIST_H_
#define HLOKIT_VERIFIER_RULE_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "verifier/rule.h"

namespace hlo {

std::string RuleListText();      // a line a rule, and what the severity codes mean
std::string RuleListJson();      // an array of {id, severity, sources, text}
std::string RuleListMarkdown();  // docs/rules.md

// What a rule means, where it comes from, a text that breaks it and one that keeps it.
std::string ExplainRule(Rule rule);
// What the rules of a group ("fusion") or "all" demand; empty when there is no such group.
std::string ExplainGroup(std::string_view group);
// The groups that the ids begin with, in the order of the table.
std::vector<std::string_view> RuleGroups();

// A rule's goldens without their directives; empty where there is none.
struct RuleExample {
  std::string_view id;
  std::string_view bad;
  std::string_view good;
};
RuleExample GetRuleExample(Rule rule);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_RULE_LIST_H_
