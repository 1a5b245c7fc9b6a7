// What kind of instruction one is, as far as several topics ask.
#ifndef HLOKIT_VERIFIER_INSTRUCTION_KIND_H_
#define HLOKIT_VERIFIER_INSTRUCTION_KIND_H_

#include <optional>
#include <string_view>

#include "ir/module.h"

namespace hlo {

// Executes even when nobody uses its result (verifier.md 1.3, the list below the table).
bool HasSideEffect(const Instruction& instruction);
// Several devices take part: the collective family without the ids.
bool IsCollective(Opcode opcode);
inline bool IsAsync(Opcode opcode) { return HasTrait(opcode, kAsyncPart); }
// A custom-call that only marks its operand, so that async values may pass it (verifier.md 1.10).
bool IsMarkerCall(const Instruction& instruction);
bool IsCustomCall(const Instruction& instruction, std::string_view target);
// The value of a frontend attribute, or nothing.
std::optional<std::string_view> FrontendValue(const Instruction& instruction, std::string_view key);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_INSTRUCTION_KIND_H_
