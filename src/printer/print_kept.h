// The style that keeps hands off: what somebody wrote, with white space, the order of attributes
// and the form of numbers put in order. Sigils, layouts and shapes that were left out, signatures
// and line breaks inside instructions stay as they are.
#ifndef HLOKIT_PRINTER_PRINT_KEPT_H_
#define HLOKIT_PRINTER_PRINT_KEPT_H_

#include "printer/print_context.h"

namespace hlo {

// Prints the text of the context's module, which has to have been read from one.
void PrintKeptText(PrintContext& context);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINT_KEPT_H_
