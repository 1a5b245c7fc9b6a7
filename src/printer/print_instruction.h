// One instruction as text (grammar.md 10.5, 10.6).
#ifndef HLOKIT_PRINTER_PRINT_INSTRUCTION_H_
#define HLOKIT_PRINTER_PRINT_INSTRUCTION_H_

#include "absl/container/inlined_vector.h"
#include "ir/module.h"
#include "printer/print_context.h"

namespace hlo {

// An attribute that is printed; without a value the default of its row.
struct PrintedAttribute {
  Attr attr;
  const AttributeValue* value;
};

using PrintedAttributes = absl::InlinedVector<PrintedAttribute, 16>;

// The attributes `instruction` shows, in print order.
PrintedAttributes ListPrintedAttributes(const PrintContext& context,
                                        const Instruction& instruction);

// `key=value`.
void PrintAttribute(PrintContext& context, const Instruction& instruction,
                    const PrintedAttribute& attribute);

// The number of `attr` among all attributes that instructions of `opcode` can show, in print order.
int PlaceOfAttribute(Opcode opcode, Attr attr);

// Whether the printer leaves `attr` out of everything.
bool IsDroppedByOption(const PrintOptions& options, Attr attr);

// Whether blanks in the value are the user's and may mean something.
bool IsVerbatimAttribute(Attr attr);

// What `print` appends to the output, taken away from there again.
template <typename Print>
std::string Captured(PrintContext& context, Print print) {
  const size_t begin = context.out().size();
  print();
  std::string text(context.out().text().substr(begin));
  context.out().Truncate(begin);
  return text;
}

// The opcode as the text spells it: add-start for an asynchronous add in its sugared form.
void PrintOpcode(PrintContext& context, const Instruction& instruction);

// What stands between the parentheses, if it is not operands: a literal or a number.
bool PrintPayload(PrintContext& context, const Instruction& instruction);
void PrintOperand(PrintContext& context, const Instruction& instruction, size_t i);

// `%name = SHAPE opcode(operands), attributes`, without indentation and line end.
void PrintInstruction(PrintContext& context, const Instruction& instruction);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINT_INSTRUCTION_H_
