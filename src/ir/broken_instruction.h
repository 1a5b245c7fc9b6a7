// What stands for an instruction whose text has a mistake.
#ifndef HLOKIT_IR_BROKEN_INSTRUCTION_H_
#define HLOKIT_IR_BROKEN_INSTRUCTION_H_

#include "ir/module.h"

namespace hlo {

// Whether `instruction` could not be read, in a module of which only a part could: others may name
// it, and it is a parameter without a number. Where its shape was read too, it has that.
inline bool IsBroken(const Instruction& instruction) {
  return instruction.opcode == Opcode::kParameter && !instruction.Has(Attr::kParameterNumber);
}

}  // namespace hlo

#endif  // HLOKIT_IR_BROKEN_INSTRUCTION_H_
