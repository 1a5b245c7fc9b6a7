// What the parts of the printer share while one module is printed: the module, the style broken
// down into its traits, the text so far.
#ifndef HLOKIT_PRINTER_PRINT_CONTEXT_H_
#define HLOKIT_PRINTER_PRINT_CONTEXT_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "printer/printer.h"
#include "support/text_writer.h"

namespace hlo {

// The presets of grammar.md 10.1.
struct StyleTraits {
  bool percent = true;          // `%` before names
  bool operand_shapes = false;  // the shape before every operand
  bool signatures = true;       // (parameters) -> result behind computation names
  int operand_comment_interval = 5;
  bool shortest_numbers = false;  // instead of 10.9
  bool tuple_suffixes = true;     // t#1 where the text has it, not a get-tuple-element of its own
  bool default_layouts = true;    // show layouts that are row-major without a tail
};
StyleTraits TraitsOf(PrintStyle style);

// Whether `word` is a name only behind `%` (grammar.md 1.3).
bool IsReservedWord(std::string_view word);

class PrintContext;
// Appends a comment or the like, of one line or several.
void AppendWithoutTrailingBlanks(PrintContext& context, std::string_view text);

class PrintContext {
 public:
  PrintContext(const Module& module, const PrintOptions& options);

  const Module& module() const { return module_; }
  const PrintOptions& options() const { return options_; }
  const StyleTraits& traits() const { return traits_; }
  TextWriter& out() { return out_; }

  void Append(std::string_view text) { out_.Append(text); }
  void Append(char c) { out_.Append(c); }
  void AppendInt(int64_t value) { out_.AppendInt(value); }

  // A name with the prefix of the style, or that it needs to be one.
  void PrintName(std::string_view name) {
    if (traits_.percent || IsReservedWord(name)) out_.Append('%');
    out_.Append(name);
  }
  // Whether the instruction takes a line: a tuple element written t#1 stays inside its users.
  bool HasLine(const Instruction& instruction) const {
    return instruction.spelling != Spelling::kTupleSuffix || !traits_.tuple_suffixes;
  }
  // A name as operands show it.
  void PrintReference(InstructionId id);

  // The shape of an instruction's result, as the instruction and its users show it.
  std::string_view ResultShape(const Instruction& instruction);
  // A shape in the style, without layouts when they are not wanted. `shape` must live as long as
  // the module.
  std::string_view ShapeInStyle(const Shape& shape);
  void PrintShape(const Shape& shape) { out_.Append(ShapeInStyle(shape)); }
  // Without layouts, as signatures show it.
  void PrintProgramShape(const Shape& shape) { Append(ShapeText(shape, /*index_comments=*/true)); }

  // The body of the asynchronous computation that `instruction` is a sugared part of, such as
  // add-start(...); null for every other instruction.
  const Computation* SugaredBody(const Instruction& instruction) const;

 private:
  std::string MakeShapeText(const Shape& shape) const;
  void FindSugaredBodies();

  const Module& module_;
  const PrintOptions& options_;
  StyleTraits traits_;
  TextWriter out_;
  absl::flat_hash_map<const Shape*, std::string_view> shape_texts_;
  std::deque<std::string> shape_storage_;
  std::vector<bool> kept_layouts_;  // by instruction, although layouts are not wanted
  std::deque<std::string> kept_texts_;
  std::vector<ComputationId> sugared_bodies_;  // by instruction; empty when there are none
};

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINT_CONTEXT_H_
