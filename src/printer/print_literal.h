// Literals as text (grammar.md 10.8, 10.9).
#ifndef HLOKIT_PRINTER_PRINT_LITERAL_H_
#define HLOKIT_PRINTER_PRINT_LITERAL_H_

#include <cstdint>

#include "ir/literal.h"
#include "printer/print_context.h"
#include "support/text_writer.h"

namespace hlo {

struct LiteralStyle {
  int64_t elide_above = -1;            // arrays with more elements print as {...}; -1: none
  int64_t max_empty_rows = INT64_MAX;  // so do arrays without elements that have more rows
  int64_t shorten_above = 0;           // arrays with more elements show three at each end of a
                                       // dimension; 0: none
  bool shortest_numbers = false;       // the shortest digits that read back instead of 10.9
  bool multi_line = false;             // a row a line, as XLA prints evaluated results
};

// The elements alone: what stands in constant(...).
void WriteLiteral(TextWriter& out, const Literal& literal, const LiteralStyle& style);

// In the style of the module being printed.
void PrintLiteral(PrintContext& context, const Literal& literal);
// Every leaf behind its shape, which always shows a layout: without one the `{` of the elements
// would read as layout (grammar.md 2.9).
void PrintTypedLiteral(PrintContext& context, const Literal& literal);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINT_LITERAL_H_
