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
bool IsAsync(Opcode opcode);  // async-start, -update or -done
// Holds a context that a done ends: async-start, async-update, and the -start of a pair.
bool IsContextProducer(Opcode opcode);
// A custom-call that only marks its operand, so that async values may pass it (verifier.md 1.10).
bool IsMarkerCall(const Instruction& instruction);
bool IsCustomCall(const Instruction& instruction, std::string_view target);
// The value of a frontend attribute, or nothing.
std::optional<std::string_view> FrontendValue(const Instruction& instruction, std::string_view key);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_INSTRUCTION_KIND_H_
