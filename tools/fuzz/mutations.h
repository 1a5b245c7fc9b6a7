// The mutations. Each takes a place of its kind by chance and replaces what stands there by
// something of the same kind; it says whether it changed something.
#ifndef HLOKIT_TOOLS_FUZZ_MUTATIONS_H_
#define HLOKIT_TOOLS_FUZZ_MUTATIONS_H_

#include "tools/fuzz/random.h"
#include "tools/fuzz/text_tokens.h"

namespace hlo::fuzz {

// --- mutate_values.cc
bool ChangeNumber(Tokens& tokens, Random& random);
bool ChangeDigit(Tokens& tokens, Random& random);
bool ChangeType(Tokens& tokens, Random& random);
bool ChangeSizes(Tokens& tokens, Random& random);
bool DropShapes(Tokens& tokens, Random& random);

// --- mutate_instructions.cc
bool SwapOperands(Tokens& tokens, Random& random);
bool ReplaceOperand(Tokens& tokens, Random& random);
bool ChangeOperandCount(Tokens& tokens, Random& random);
bool ChangeOpcode(Tokens& tokens, Random& random);
bool SwapCallee(Tokens& tokens, Random& random);
bool DropAttribute(Tokens& tokens, Random& random);
bool AddAttribute(Tokens& tokens, Random& random);
bool ChangeTarget(Tokens& tokens, Random& random);
bool DuplicateInstruction(Tokens& tokens, Random& random);
bool InsertInstruction(Tokens& tokens, Random& random);
bool DropInstruction(Tokens& tokens, Random& random);
bool MoveRoot(Tokens& tokens, Random& random);
bool ChangeToken(Tokens& tokens, Random& random);

}  // namespace hlo::fuzz

#endif  // HLOKIT_TOOLS_FUZZ_MUTATIONS_H_
