// What people type who come from other interfaces: opcodes and element types by other names.
#ifndef HLOKIT_PARSER_OTHER_NAMES_H_
#define HLOKIT_PARSER_OTHER_NAMES_H_

#include <optional>
#include <string_view>

#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo {

// The opcode that `text` means for sure: another interface's name (`clz`), or a dialect's
// (`stablehlo.dynamic_slice`).
std::optional<Opcode> OpcodeMeantBy(std::string_view text);

// The one opcode, its variants aside, that begins with `text`: `mul`, `exp`.
std::optional<Opcode> OpcodeBeginningWith(std::string_view text);

// The element type that `text` means: `float32`, `bfloat16`, `i32`, `bool`.
std::optional<ElementType> ElementTypeMeantBy(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_PARSER_OTHER_NAMES_H_
