// The module line, the stack-frame tables and the computations (grammar.md 10.2 to 10.4).
#ifndef HLOKIT_PRINTER_PRINT_MODULE_H_
#define HLOKIT_PRINTER_PRINT_MODULE_H_

#include "printer/print_context.h"

namespace hlo {

void PrintModuleText(PrintContext& context);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINT_MODULE_H_
