// Computations and instructions keep the order of the text. Comments are woven in by their
// offsets; the styles differ in how a body's lines are laid out.
#include "printer/print_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/attribute_default.h"
#include "printer/comment_plan.h"
#include "printer/print_instruction.h"
#include "printer/print_pretty.h"
#include "printer/print_value.h"

namespace hlo {
namespace {

using Comments = std::span<const CommentPlan::Comment>;

class ModulePrinter {
 public:
  explicit ModulePrinter(PrintContext& context)
      : context_(context),
        module_(context.module()),
        comments_(module_, context.options().comments),
        outside_(comments_.OutsideComputations()) {}

  void Print() {
    PrintHeadComments();
    PrintModuleLine();
    if (context_.options().metadata && !context_.options().resolve_frames) PrintStackFrames();
    context_.Append("\n\n");
    for (size_t i = 0; i < module_.computations().size(); ++i) {
      PrintComputation(ComputationId(i));
    }
    PrintRemainingComments();
  }

 private:
  // --- The head ------------------------------------------------------------------------------

  void PrintHeadComments() {
    const uint32_t head_end = HeadOffset();
    bool any = false;
    for (; !outside_.empty() && outside_.front().begin < head_end; outside_ = outside_.subspan(1)) {
      if (any && outside_.front().after_blank_line) context_.Append('\n');
      PrintCommentLine(outside_.front(), "");
      any = true;
    }
    if (any && comments_.IsAfterBlankLine(head_end)) context_.Append('\n');
  }

  // Where the module line begins, or what stands in its place in a text without one.
  uint32_t HeadOffset() const {
    if (outside_.empty()) return 0;
    if (!module_.name_range().empty()) {
      // name_range is that of the name: the keyword stands before it.
      const size_t keyword =
          module_.source()->text().rfind("HloModule", module_.name_range().begin);
      return keyword == std::string_view::npos ? 0 : static_cast<uint32_t>(keyword);
    }
    for (const Computation& computation : module_.computations()) {
      if (computation.spelling == Spelling::kNamed) return computation.range.begin;
    }
    return 0;
  }

  void PrintModuleLine() {
    if (context_.options().style == PrintStyle::kPretty) {
      std::vector<AttributeText> attributes;
      ForEachModuleAttribute([&](Attr attr, const AttributeValue& value) {
        if (attr == Attr::kEntryComputationLayout && IsInferred(value)) return;
        const size_t begin = context_.out().size();
        PrintModuleAttribute(attr, value);
        attributes.push_back({attr, std::string(context_.out().text().substr(begin))});
        context_.out().Truncate(begin);
      });
      return PrettyPrinter(context_).PrintModuleLine(attributes);
    }
    context_.Append("HloModule ");
    if (IsReservedWord(module_.name())) context_.Append('%');
    context_.Append(module_.name());
    ForEachModuleAttribute([&](Attr attr, const AttributeValue& value) {
      context_.Append(attr == Attr::kDebugAttributes ? ",\n" : ", ");
      PrintModuleAttribute(attr, value);
    });
  }

  template <typename Visit>
  void ForEachModuleAttribute(Visit visit) {
    for (const AttributeUse& use : ModuleAttributeUses()) {
      const Attribute* attribute = module_.attributes().Find(use.attr);
      if (attribute == nullptr || IsDefaultValue(&use, use.attr, attribute->value)) continue;
      visit(use.attr, attribute->value);
    }
  }

  void PrintModuleAttribute(Attr attr, const AttributeValue& value) {
    context_.Append(AttributeName(attr));
    context_.Append('=');
    PrintAttributeValue(context_, attr, value);
  }

  // Whether reading the entry computation gives the same.
  bool IsInferred(const AttributeValue& value) const {
    const auto& layout = value.Get<EntryComputationLayout>();
    const Computation& entry = module_.entry();
    return *layout.result.shape == *module_.root(entry).shape &&
           std::equal(layout.parameters.begin(), layout.parameters.end(), entry.parameters.begin(),
                      entry.parameters.end(), [&](ShapeRef shape, InstructionId id) {
                        return *shape.shape == *module_.instruction(id).shape;
                      });
  }

  // --- Stack frames --------------------------------------------------------------------------

  void PrintStackFrames() {
    const StackFrameTables& tables = module_.stack_frames();
    if (tables.empty()) return;
    context_.Append("\n\nFileNames\n");
    PrintNames(tables.file_names);
    context_.Append("\nFunctionNames\n");
    PrintNames(tables.function_names);
    context_.Append("\nFileLocations\n");
    for (size_t i = 0; i < tables.file_locations.size(); ++i) {
      PrintFileLocation(i + 1, tables.file_locations[i]);
    }
    context_.Append("\nStackFrames\n");
    for (size_t i = 0; i < tables.frames.size(); ++i) PrintFrame(i + 1, tables.frames[i]);
  }

  void PrintNames(const std::vector<std::string_view>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      context_.AppendInt(static_cast<int64_t>(i + 1));
      context_.Append(' ');
      PrintEscaped(context_, names[i]);
      context_.Append('\n');
    }
  }

  void PrintFileLocation(size_t id, const StackFrameTables::FileLocation& location) {
    context_.Append(
        fmt::format("{} {{file_name_id={} function_name_id={} line={} end_line={} column={} "
                    "end_column={}}}\n",
                    id, location.file_name_id, location.function_name_id, location.line,
                    location.end_line, location.column, location.end_column));
  }

  // The text counts parents from 1 for "none".
  void PrintFrame(size_t id, const StackFrameTables::Frame& frame) {
    context_.Append(fmt::format("{} {{file_location_id={} parent_frame_id={}}}\n", id,
                                frame.file_location_id, frame.parent_frame_id + 1));
  }

  // --- Computations --------------------------------------------------------------------------

  void PrintComputation(ComputationId id) {
    const Computation& computation = module_.computation(id);
    if (computation.spelling == Spelling::kAsyncSugar) return;
    if (computation.spelling == Spelling::kNamed) PrintCommentsBefore(computation);
    if (id == module_.entry_id()) context_.Append("ENTRY ");
    context_.PrintName(computation.name);
    if (context_.traits().signatures) PrintSignature(computation);
    context_.Append(" {");
    PrintBody(id, computation);
    context_.Append('}');
    if (computation.execution_thread != "main") {
      context_.Append(", execution_thread=");
      PrintVerbatim(context_, '"', computation.execution_thread);
    }
    PrintCommentsBehind(computation);
    context_.Append("\n\n");
  }

  void PrintSignature(const Computation& computation) {
    PrintSeparated(context_, " (", ", ", ") -> ", computation.parameters, [&](InstructionId id) {
      const Instruction& parameter = module_.instruction(id);
      context_.Append(parameter.name);
      context_.Append(": ");
      context_.PrintProgramShape(*parameter.shape);
    });
    context_.PrintProgramShape(*module_.root(computation).shape);
  }

  void PrintBody(ComputationId id, const Computation& computation) {
    const std::vector<InstructionId> shown = ShownInstructions(computation);
    const bool pretty = context_.options().style == PrintStyle::kPretty;
    PrettyPrinter pretty_printer(context_);
    Comments comments = comments_.Inside(id);
    const std::vector<bool> starts_block = BlockStarts(shown, computation, comments);
    PrintTrailing(&comments, OffsetOf(shown, 0, computation));
    context_.Append('\n');
    body_begin_ = context_.out().size();
    for (size_t i = 0; i < shown.size(); ++i) {
      const Instruction& instruction = module_.instruction(shown[i]);
      const uint32_t group_begin = GroupBegin(shown, i);
      PrintOwnLines(&comments, group_begin);
      PrintBlankLineOf(group_begin);
      // Comments inside the instruction come before it, too.
      PrintOwnLines(&comments, instruction.range.end, /*keeps_blank_lines=*/false);
      const bool is_root = shown[i] == computation.root;
      if (pretty) {
        if (starts_block[i])
          pretty_printer.StartBlock(computation, BlockFrom(shown, starts_block, i));
        pretty_printer.PrintInstruction(instruction, is_root);
      } else {
        context_.Append(is_root ? std::string_view("  ROOT ") : std::string_view("  "));
        PrintInstruction(context_, instruction);
      }
      PrintTrailing(&comments, OffsetOf(shown, i + 1, computation));
      if (context_.options().resolve_frames) PrintFrameComment(instruction);
      context_.Append('\n');
    }
    PrintOwnLines(&comments, computation.range.end);
  }

  // Whether an empty line or comments above it set the i-th of `instructions` apart from those
  // before it.
  std::vector<bool> BlockStarts(std::span<const InstructionId> instructions,
                                const Computation& computation, Comments comments) const {
    std::vector<bool> starts(instructions.size(), false);
    for (size_t i = 0; i < instructions.size(); ++i) {
      const uint32_t offset = OffsetOf(instructions, i, computation);
      comments = comments.subspan(CountTrailing(comments, offset));
      const uint32_t group_begin = GroupBegin(instructions, i);
      const uint32_t end = module_.instruction(instructions[i]).range.end;
      const size_t above = CountBefore(comments, std::max(group_begin, end));
      comments = comments.subspan(above);
      starts[i] = i == 0 || above > 0 || HasBlankLineBefore(group_begin);
    }
    return starts;
  }

  // The i-th of `instructions` and those that follow it in its block.
  static std::span<const InstructionId> BlockFrom(std::span<const InstructionId> instructions,
                                                  const std::vector<bool>& starts, size_t i) {
    const auto next =
        std::find(starts.begin() + static_cast<std::ptrdiff_t>(i) + 1, starts.end(), true);
    return instructions.subspan(i, static_cast<size_t>(next - starts.begin()) - i);
  }

  std::vector<InstructionId> ShownInstructions(const Computation& computation) const {
    std::vector<InstructionId> shown;
    shown.reserve(computation.instructions.size());
    for (InstructionId id : computation.instructions) {
      if (context_.HasLine(module_.instruction(id))) shown.push_back(id);
    }
    return shown;
  }

  // Where the text begins that the i-th of `instructions` and those nested in it stand for; 0 when
  // it is not the first of them.
  uint32_t GroupBegin(std::span<const InstructionId> instructions, size_t i) const {
    const auto is_nested = [&](size_t k) {
      return module_.instruction(instructions[k]).spelling != Spelling::kNamed;
    };
    if (i > 0 && is_nested(i - 1)) return 0;
    while (i + 1 < instructions.size() && is_nested(i)) ++i;
    return module_.instruction(instructions[i]).range.begin;
  }

  // The empty line before byte `offset` of the source, one for several; none at the start of a
  // body. XLA has none at all.
  void PrintBlankLineOf(uint32_t offset) {
    if (context_.out().size() == body_begin_ || !HasBlankLineBefore(offset)) return;
    context_.Append('\n');
  }
  bool HasBlankLineBefore(uint32_t offset) const {
    return offset != 0 && !context_.options().like_xla && comments_.IsAfterBlankLine(offset);
  }

  // Where the i-th of `instructions` begins in the source, or the computation ends. (A nested
  // instruction ends before, but begins behind the one that contains it: what follows it in the
  // list then lies before it, and no comment between.)
  uint32_t OffsetOf(std::span<const InstructionId> instructions, size_t i,
                    const Computation& computation) const {
    return i < instructions.size() ? module_.instruction(instructions[i]).range.begin
                                   : computation.range.end;
  }

  // `file:line` of the frame the instruction was made in.
  void PrintFrameComment(const Instruction& instruction) {
    const int32_t frame_id = instruction.Get<Attr::kMetadata>().stack_frame_id;
    const StackFrameTables& tables = module_.stack_frames();
    if (frame_id <= 0 || static_cast<size_t>(frame_id) > tables.frames.size()) return;
    const int32_t location_id = tables.frames[frame_id - 1].file_location_id;
    if (location_id <= 0 || static_cast<size_t>(location_id) > tables.file_locations.size()) return;
    const StackFrameTables::FileLocation& location = tables.file_locations[location_id - 1];
    if (location.file_name_id <= 0 ||
        static_cast<size_t>(location.file_name_id) > tables.file_names.size()) {
      return;
    }
    context_.Append(" // ");
    for (char c : tables.file_names[location.file_name_id - 1]) {
      context_.Append(c >= 0 && c < ' ' ? '?' : c);
    }
    context_.Append(':');
    context_.AppendInt(location.line);
  }

  // --- Comments ------------------------------------------------------------------------------

  void PrintCommentLine(const CommentPlan::Comment& comment, std::string_view indentation) {
    context_.Append(indentation);
    AppendWithoutTrailingBlanks(context_, comment.text);
    context_.Append('\n');
  }

  static size_t CountBefore(Comments comments, uint32_t offset) {
    const auto behind = std::ranges::find_if(
        comments, [&](const CommentPlan::Comment& comment) { return comment.begin >= offset; });
    return static_cast<size_t>(behind - comments.begin());
  }

  // How many comments before `offset` share the line of what was printed last; nothing can follow a
  // comment that ends the line.
  static size_t CountTrailing(Comments comments, uint32_t offset) {
    size_t count = 0;
    while (count < comments.size() && comments[count].trailing && comments[count].begin < offset) {
      if (comments[count++].text.starts_with("//")) break;
    }
    return count;
  }

  // Comments on lines of their own that start before `offset`.
  void PrintOwnLines(Comments* comments, uint32_t offset, bool keeps_blank_lines = true) {
    const size_t count = CountBefore(*comments, offset);
    for (const CommentPlan::Comment& comment : comments->first(count)) {
      if (keeps_blank_lines) PrintBlankLineOf(comment.begin);
      PrintCommentLine(comment, "  ");
    }
    *comments = comments->subspan(count);
  }

  void PrintTrailing(Comments* comments, uint32_t offset) {
    const size_t count = CountTrailing(*comments, offset);
    for (const CommentPlan::Comment& comment : comments->first(count)) {
      context_.Append(' ');
      AppendWithoutTrailingBlanks(context_, comment.text);
    }
    *comments = comments->subspan(count);
  }

  void PrintCommentsBefore(const Computation& computation) {
    bool any = false;
    for (; !outside_.empty() && outside_.front().begin < computation.range.begin;
         outside_ = outside_.subspan(1)) {
      if (any && outside_.front().after_blank_line) context_.Append('\n');
      PrintCommentLine(outside_.front(), "");
      any = true;
    }
    if (any && comments_.IsAfterBlankLine(computation.range.begin)) context_.Append('\n');
  }

  // `} // name`
  void PrintCommentsBehind(const Computation& computation) {
    if (computation.spelling != Spelling::kNamed || outside_.empty()) return;
    if (outside_.front().begin < computation.range.end) return;
    const auto computations = module_.computations();
    const auto next = std::find_if(
        computations.begin() + (&computation - computations.data()) + 1, computations.end(),
        [](const Computation& other) { return other.spelling == Spelling::kNamed; });
    PrintTrailing(&outside_, next == computations.end() ? UINT32_MAX : next->range.begin);
  }

  void PrintRemainingComments() {
    bool any = false;
    for (const CommentPlan::Comment& comment : outside_) {
      if (any && comment.after_blank_line) context_.Append('\n');
      PrintCommentLine(comment, "");
      any = true;
    }
    if (any) context_.Append('\n');
  }

  PrintContext& context_;
  const Module& module_;
  CommentPlan comments_;
  Comments outside_;
  size_t body_begin_ = 0;  // in the output, of the body being printed
};

}  // namespace

void PrintModuleText(PrintContext& context) { ModulePrinter(context).Print(); }

}  // namespace hlo
