// What the custom calls that hlo-run knows by their target ask of their operands and attributes.
#ifndef HLOKIT_VERIFIER_CUSTOM_CALL_TARGETS_H_
#define HLOKIT_VERIFIER_CUSTOM_CALL_TARGETS_H_

#include "verifier/rule_context.h"

namespace hlo {

// Checks a custom-call by its target; other targets may take and give anything.
void VerifyCustomCallTarget(const RuleContext& context, const OpView& op);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_CUSTOM_CALL_TARGETS_H_
