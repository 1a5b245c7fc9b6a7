// One instruction, or the module line, as it was written (print_kept.h).
#ifndef HLOKIT_PRINTER_KEPT_INSTRUCTION_H_
#define HLOKIT_PRINTER_KEPT_INSTRUCTION_H_

#include <string>

#include "ir/module.h"
#include "printer/print_context.h"

namespace hlo {

// To stand at `column`.
std::string KeptInstruction(PrintContext& context, const Instruction& instruction, int column);

// The module line, which stands at `range`.
std::string KeptModuleLine(PrintContext& context, SourceRange range);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_KEPT_INSTRUCTION_H_
