// What a constant operand holds, for who acts on values known from the text.
#ifndef HLOKIT_IR_CONSTANT_VALUE_H_
#define HLOKIT_IR_CONSTANT_VALUE_H_

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace hlo {

// The value of a constant integer scalar; nothing for other instructions and for elided constants.
std::optional<__int128> ConstantInteger(const Instruction& instruction);

}  // namespace hlo

#endif  // HLOKIT_IR_CONSTANT_VALUE_H_
