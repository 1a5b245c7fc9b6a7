// The rules for people and programs to read.
#ifndef HLOKIT_VERIFIER_RULE_LIST_H_
#define HLOKIT_VERIFIER_RULE_LIST_H_

#include <string>
#include <string_view>

#include "verifier/rule.h"

namespace hlo {

std::string RuleListText();      // a line a rule
std::string RuleListJson();      // an array of {id, severity, sources, text}
std::string RuleListMarkdown();  // docs/rules.md

// What a rule means, where it comes from, a text that breaks it and one that keeps it.
std::string ExplainRule(Rule rule);

// A rule's goldens without their directives; empty where there is none.
struct RuleExample {
  std::string_view id;
  std::string_view bad;
  std::string_view good;
};
RuleExample GetRuleExample(Rule rule);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_RULE_LIST_H_
