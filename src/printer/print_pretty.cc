// A line is a flow of words, broken before the one that does not fit, never within one; a text with
// a string in it is one word. Columns are padding between words, from the names and shapes of a
// block, of which very long ones do not count. Widths are bytes of text, without colours.
#include "printer/print_pretty.h"

#include <algorithm>

#include "printer/print_instruction.h"

namespace hlo {
namespace {

constexpr int kIndent = 2;
constexpr int kContinuationIndent = 6;
// Longer names and shapes push the rest of their own line only.
constexpr int kMaxNameWidth = 32;
constexpr int kMaxShapeWidth = 36;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kReset = "\x1b[0m";

int WidthOf(std::string_view text) { return static_cast<int>(text.size()); }

// What says nothing about the computed values.
bool IsNoise(Attr attr) {
  return attr == Attr::kMetadata || attr == Attr::kBackendConfig || attr == Attr::kOrigin ||
         attr == Attr::kStatistics || attr == Attr::kFrontendAttributes;
}

// The words of `text`, which may be broken behind ", " unless a string is in it.
std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  if (text.find_first_of("\"'") == std::string_view::npos) {
    for (size_t end; (end = text.find(", ")) != std::string_view::npos;
         text.remove_prefix(end + 2)) {
      words.push_back(text.substr(0, end + 1));
    }
  }
  words.push_back(text);
  return words;
}

std::vector<std::string_view> AttributeWords(Attr attr, std::string_view text) {
  if (IsVerbatimAttribute(attr)) return {text};
  return Words(text);
}

}  // namespace

void FlowWriter::Write(std::string_view text, std::string_view color) {
  const bool colored = context_.options().color && !color.empty();
  if (colored) context_.Append(color);
  context_.Append(text);
  if (colored) context_.Append(kReset);
  // A text with line breaks of its own (a table) leaves the rest of the last line.
  const size_t line_end = text.rfind('\n');
  column_ = line_end == std::string_view::npos ? column_ + WidthOf(text)
                                               : WidthOf(text.substr(line_end + 1));
}

void FlowWriter::Word(std::string_view text, std::string_view color) {
  if (!at_start_) {
    const bool fits = column_ + 1 + WidthOf(text) <= context_.options().width;
    if (fits || column_ <= continuation_indent_) {
      Write(" ", {});
    } else {
      context_.Append('\n');
      column_ = 0;
      PadTo(continuation_indent_);
    }
  }
  at_start_ = false;
  Write(text, color);
}

void FlowWriter::Glued(std::string_view text, std::string_view color) {
  at_start_ = false;
  Write(text, color);
}

void FlowWriter::PadTo(int column) {
  for (; column_ < column; ++column_) context_.Append(' ');
}

void PrettyPrinter::PrintModuleLine(const std::vector<AttributeText>& attributes) {
  FlowWriter flow(context_, kContinuationIndent);
  flow.Word("HloModule");
  std::string first(context_.module().name());
  if (IsReservedWord(first)) first.insert(0, 1, '%');
  if (!attributes.empty()) first += ',';
  flow.Word(first, kBold);
  for (size_t i = 0; i < attributes.size(); ++i) {
    const std::string text = attributes[i].text + (i + 1 < attributes.size() ? "," : "");
    for (std::string_view word : AttributeWords(attributes[i].attr, text)) flow.Word(word);
  }
}

void PrettyPrinter::StartBlock(const Computation& computation,
                               std::span<const InstructionId> instructions) {
  int name_width = 0;
  int shape_width = 0;
  for (InstructionId id : instructions) {
    const Instruction& instruction = context_.module().instruction(id);
    const int root_width = id == computation.root ? WidthOf("ROOT ") : 0;
    const int name = WidthOf(instruction.name) + root_width;
    const int shape = WidthOf(context_.ResultShape(instruction));
    if (name <= kMaxNameWidth) name_width = std::max(name_width, name);
    if (shape <= kMaxShapeWidth) shape_width = std::max(shape_width, shape);
  }
  shape_column_ = kIndent + name_width + WidthOf(" = ");
  opcode_column_ = shape_column_ + shape_width + 1;
}

void PrettyPrinter::PrintInstruction(const Instruction& instruction, bool is_root) {
  FlowWriter flow(context_, kContinuationIndent);
  flow.PadTo(kIndent);
  if (is_root) flow.Glued("ROOT ", kBold);
  if (IsReservedWord(instruction.name)) flow.Glued("%");
  flow.Glued(instruction.name);
  flow.PadTo(shape_column_ - WidthOf(" = "));
  flow.Glued(" =");
  for (std::string_view word : Words(context_.ResultShape(instruction))) {
    flow.Word(word, kGreen);
  }
  flow.PadTo(opcode_column_ - 1);
  const std::string opcode = Captured(context_, [&] { PrintOpcode(context_, instruction); });
  flow.Word(opcode, kBold);
  const PrintedAttributes attributes = ListPrintedAttributes(context_, instruction);
  PrintOperands(flow, instruction, !attributes.empty());
  for (size_t i = 0; i < attributes.size(); ++i) {
    std::string text =
        Captured(context_, [&] { PrintAttribute(context_, instruction, attributes[i]); });
    if (i + 1 < attributes.size()) text += ',';
    const std::string_view color = IsNoise(attributes[i].attr) ? kDim : std::string_view();
    for (std::string_view word : AttributeWords(attributes[i].attr, text)) flow.Word(word, color);
  }
}

void PrettyPrinter::PrintOperands(FlowWriter& flow, const Instruction& instruction,
                                  bool attributes_follow) {
  const std::string_view end = attributes_follow ? ")," : ")";
  const std::string payload = Captured(context_, [&] { PrintPayload(context_, instruction); });
  flow.Glued("(");
  bool first = true;
  auto word = [&](std::string_view text) {
    first ? flow.Glued(text) : flow.Word(text);
    first = false;
  };
  if (!payload.empty()) {
    for (std::string_view part : Words(payload)) word(part);
  }
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    std::string text = Captured(context_, [&] { PrintOperand(context_, instruction, i); });
    if (i + 1 < instruction.operands.size()) text += ',';
    word(text);
  }
  flow.Glued(end);
}

}  // namespace hlo
