// Which rules no call of the builder's functions can break, and why. With the violations
// (violations.h) the whole catalogue: a test finds each rule in one of the two, and in one only.
#ifndef HLOKIT_BUILDER_RULES_OUT_OF_REACH_H_
#define HLOKIT_BUILDER_RULES_OUT_OF_REACH_H_

#include <span>
#include <string_view>

namespace hlo::testing {

struct OutOfReach {
  std::string_view rules;  // an id, or the part of ids before the dot
  std::string_view reason;
};

// Without the rules that nobody looks at when a module is built: those of other stages, and those
// that are off unless an option asks for them.
std::span<const OutOfReach> RulesOutOfReach();

}  // namespace hlo::testing

#endif  // HLOKIT_BUILDER_RULES_OUT_OF_REACH_H_
