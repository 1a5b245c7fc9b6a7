// The names of what diagnostics can be about. What the rules say and how grave they are is in
// verifier/rule.h.
#ifndef HLOKIT_IR_RULE_H_
#define HLOKIT_IR_RULE_H_

#include <cstdint>
#include <string_view>

namespace hlo {

enum class Rule : uint16_t {
#define HLO_RULE(Name, ...) k##Name,
#include "ir/rules.def"
};
inline constexpr int kRuleCount = 0
#define HLO_RULE(...) +1
#include "ir/rules.def"
    ;

// The id that messages, options and comments name the rule by: "fusion.kind".
std::string_view RuleId(Rule rule);

}  // namespace hlo

#endif  // HLOKIT_IR_RULE_H_
