// The source is cut into pieces that take a line of their own: the module line, heads and ends of
// computations, instructions. What stands between two pieces is comments and empty lines.
#include "printer/print_kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "printer/coarse_token.h"
#include "printer/kept_instruction.h"
#include "printer/respace.h"

namespace hlo {
namespace {

struct Piece {
  SourceRange range;
  std::string text;
  bool is_in_body = false;
  bool opens_body = false;
};

class KeptPrinter {
 public:
  explicit KeptPrinter(PrintContext& context)
      : context_(context), module_(context.module()), source_(module_.source()->text()) {}

  void Print() {
    FindPieces();
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    uint32_t offset = source_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (const Piece& piece : pieces_) {
      PrintBetween(source_.substr(offset, piece.range.begin - offset));
      StartLine(piece.is_in_body, !piece.text.starts_with('}'));
      context_.Append(piece.text);
      has_text_ = true;
      is_in_body_ = piece.is_in_body || piece.opens_body;
      is_after_head_ = piece.opens_body;
      offset = piece.range.end;
    }
    PrintBetween(source_.substr(offset));
    if (has_text_) context_.Append('\n');
  }

 private:
  // --- Pieces --------------------------------------------------------------------------------

  void FindPieces() {
    if (!module_.name_range().empty()) AddHeader();
    for (const Computation& computation : module_.computations()) {
      if (computation.spelling == Spelling::kNamed) AddComputation(computation);
    }
    std::ranges::sort(pieces_, {}, [](const Piece& piece) {
      return std::pair(piece.range.begin, ~piece.range.end);
    });
    // Parameters that the operands of a single instruction stand for are part of its text.
    uint32_t end = 0;
    std::erase_if(pieces_, [&](const Piece& piece) {
      const bool is_inside = piece.range.end <= end;
      end = std::max(end, piece.range.end);
      return is_inside;
    });
  }

  std::string_view Text(uint32_t begin, uint32_t end) const {
    return source_.substr(begin, end - begin);
  }

  // name_range is that of the name: the keyword stands before it.
  void AddHeader() {
    const size_t keyword = source_.rfind("HloModule", module_.name_range().begin);
    if (keyword == std::string_view::npos) return;
    const auto begin = static_cast<uint32_t>(keyword);
    uint32_t end = module_.name_range().end;
    for (const Attribute& attribute : module_.attributes()) {
      end = std::max(end, attribute.range.end);
    }
    pieces_.push_back({.range = {begin, end}, .text = KeptModuleLine(context_, {begin, end})});
  }

  void AddComputation(const Computation& computation) {
    uint32_t first = computation.range.end;
    uint32_t last = computation.range.begin;
    for (InstructionId id : computation.instructions) {
      const Instruction& instruction = module_.instruction(id);
      if (instruction.spelling != Spelling::kNamed || instruction.range.empty()) continue;
      first = std::min(first, instruction.range.begin);
      last = std::max(last, instruction.range.end);
    }
    const bool has_body = module_.form() != ModuleForm::kInstruction;
    for (InstructionId id : computation.instructions) {
      const Instruction& instruction = module_.instruction(id);
      if (instruction.spelling != Spelling::kNamed || instruction.range.empty()) continue;
      pieces_.push_back({.range = instruction.range,
                         .text = KeptInstruction(context_, instruction, has_body ? 2 : 0),
                         .is_in_body = has_body});
    }
    if (has_body) AddHeadAndEnd(computation, first, last);
  }

  // The instructions of `computation` stand from byte `first` to byte `last`.
  void AddHeadAndEnd(const Computation& computation, uint32_t first, uint32_t last) {
    const uint32_t begin = computation.range.begin;
    const uint32_t open = begin + FindBrace(Text(begin, first), '{');
    const uint32_t close = last + FindBrace(Text(last, computation.range.end), '}');
    const std::string head = Respaced(Text(begin, open), Respacing::kHead, /*shift=*/0);
    const std::string_view brace = EndsWithLineComment(Text(begin, open)) ? "\n{" : " {";
    pieces_.push_back(
        {.range = {begin, open + 1}, .text = fmt::format("{}{}", head, brace), .opens_body = true});
    pieces_.push_back({.range = {close, computation.range.end},
                       .text = "}" + Respaced(Text(close + 1, computation.range.end),
                                              Respacing::kOperands, /*shift=*/0)});
  }

  // Where the last such brace stands in `text`: in a head, others belong to layouts.
  static uint32_t FindBrace(std::string_view text, char brace) {
    uint32_t found = 0;
    for (size_t i = 0; i < text.size();) {
      if (IsBlank(text[i])) {
        ++i;
        continue;
      }
      if (text[i] == brace) found = static_cast<uint32_t>(i);
      i += FirstCoarseToken(text.substr(i)).size();
    }
    return found;
  }

  // --- Between pieces ------------------------------------------------------------------------

  // Comments, and whatever else stands there, such as tables of stack frames, line by line.
  void PrintBetween(std::string_view text) {
    line_ends_ = 0;
    while (!text.empty()) {
      const size_t blanks = std::min(text.find_first_not_of(" \t\r\n"), text.size());
      const std::string_view gap = text.substr(0, blanks);
      line_ends_ += std::ranges::count(gap, '\n');
      text.remove_prefix(blanks);
      if (text.empty()) return;
      const std::string_view item =
          IsCommentStart(text) ? FirstCoarseToken(text) : text.substr(0, text.find('\n'));
      if (line_ends_ == 0 && has_text_) {
        context_.Append(gap);
      } else {
        StartLine(is_in_body_ && IsCommentStart(text), /*may_follow_blank_line=*/true);
      }
      AppendWithoutTrailingBlanks(context_, item);
      has_text_ = true;
      line_ends_ = 0;
      text.remove_prefix(item.size());
    }
  }

  // Goes to a new line, behind an empty one where the source has some.
  void StartLine(bool is_indented, bool may_follow_blank_line) {
    if (has_text_) context_.Append('\n');
    const bool is_first = !has_text_ || is_after_head_;
    if (line_ends_ >= 2 && !is_first && may_follow_blank_line) context_.Append('\n');
    if (is_indented) context_.Append("  ");
    is_after_head_ = false;
  }

  PrintContext& context_;
  const Module& module_;
  const std::string_view source_;
  std::vector<Piece> pieces_;
  bool has_text_ = false;  // anything was printed
  bool is_in_body_ = false;
  bool is_after_head_ = false;    // nothing but the head of a body was printed of it
  std::ptrdiff_t line_ends_ = 0;  // since what was printed last
};

}  // namespace

void PrintKeptText(PrintContext& context) { KeptPrinter(context).Print(); }

}  // namespace hlo
