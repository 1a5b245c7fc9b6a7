// The style for reading: columns for names, shapes and opcodes, lines broken at the width, what
// is seldom read dimmed.
#ifndef HLOKIT_PRINTER_PRINT_PRETTY_H_
#define HLOKIT_PRINTER_PRINT_PRETTY_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "printer/print_context.h"

namespace hlo {

// Writes words one behind the other and breaks the line where the next one would not fit.
class FlowWriter {
 public:
  FlowWriter(PrintContext& context, int continuation_indent)
      : context_(context), continuation_indent_(continuation_indent) {}

  // `color` is an escape sequence, or empty.
  void Word(std::string_view text, std::string_view color = {});
  // Directly behind the last word, without a break.
  void Glued(std::string_view text, std::string_view color = {});
  // Blanks up to `column`, at least none.
  void PadTo(int column);

 private:
  void Write(std::string_view text, std::string_view color);

  PrintContext& context_;
  int continuation_indent_;
  int column_ = 0;
  bool at_start_ = true;
};

// One attribute of the module line.
struct AttributeText {
  Attr attr;
  std::string text;  // key=value
};

class PrettyPrinter {
 public:
  explicit PrettyPrinter(PrintContext& context) : context_(context) {}

  // `HloModule name` and the attributes, whose texts are given.
  void PrintModuleLine(const std::vector<AttributeText>& attributes);

  // Sets the columns of a block, `instructions` of the computation that are not set apart: what is
  // renamed in it moves no other block.
  void StartBlock(const Computation& computation, std::span<const InstructionId> instructions);
  // One instruction, without line end.
  void PrintInstruction(const Instruction& instruction, bool is_root);

 private:
  void PrintOperands(FlowWriter& flow, const Instruction& instruction, bool attributes_follow);

  PrintContext& context_;
  int shape_column_ = 0;
  int opcode_column_ = 0;
};

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINT_PRETTY_H_
