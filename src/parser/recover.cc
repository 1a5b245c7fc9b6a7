// Where reading goes on after an error: at the next thing that looks like an instruction or a
// computation.
#include "parser/character_class.h"
#include "parser/module_parser.h"

namespace hlo {
namespace {

// Steps over a string or comment at `p`; null when there is none.
const char* SkipQuoted(const char* p, const char* end) {
  if (*p == '/' && p + 1 != end && p[1] == '/') {
    while (p != end && *p != '\n') ++p;
    return p;
  }
  if (*p == '/' && p + 1 != end && p[1] == '*') {
    const std::string_view rest(p, static_cast<size_t>(end - p));
    const size_t close = rest.find("*/", 2);
    return close == std::string_view::npos ? end : p + close + 2;
  }
  if (*p != '"' && *p != '\'') return nullptr;
  const char quote = *p;
  const char* q = p + 1;
  while (q != end && *q != quote && *q != '\n') q += *q == '\\' && q + 1 != end ? 2 : 1;
  // A quote without its partner on the line is no string.
  return q != end && *q == quote ? q + 1 : p + 1;
}

const char* SkipBlanks(const char* p) {
  while (IsCharacter(*p, kBlankCharacter)) ++p;
  return p;
}

const char* SkipName(const char* p) {
  if (*p == '%') ++p;
  if (!IsCharacter(*p, kIdentifierStart)) return nullptr;
  while (IsCharacter(*p, kIdentifierCharacter)) ++p;
  return p;
}

bool StartsWith(const char* p, const char* end, std::string_view word) {
  return std::string_view(p, static_cast<size_t>(end - p)).starts_with(word);
}

// ["ROOT"] name "=", where a new line makes up for a missing blank before `=`.
bool LooksLikeInstruction(const char* p, const char* end, bool at_line_start) {
  if (StartsWith(p, end, "ROOT ")) {
    if (at_line_start) return true;
    p = SkipBlanks(p + 5);
  }
  const bool has_percent = *p == '%';
  const char* name_end = SkipName(p);
  if (name_end == nullptr) return false;
  if (*name_end == '=') {  // an attribute, unless a shape follows
    const char* type_end = SkipName(name_end + 1);
    return has_percent || (at_line_start && type_end != nullptr && *type_end == '[');
  }
  p = SkipBlanks(name_end);
  return p != name_end && *p == '=';
}

// ["ENTRY"] name ( "{" | "(" ... "->" ... "{" ), the last on one line
bool LooksLikeComputation(const char* p, const char* end) {
  const bool is_entry = StartsWith(p, end, "ENTRY ");
  if (is_entry) p = SkipBlanks(p + 6);
  const char* name_end = SkipName(p);
  if (name_end == nullptr) return false;
  p = SkipBlanks(name_end);
  if (*p == '{') return true;
  if (*p != '(') return false;
  if (is_entry) return true;
  const std::string_view rest(p, static_cast<size_t>(end - p));
  const std::string_view line = rest.substr(0, rest.find('\n'));
  return line.find("->") != std::string_view::npos;
}

// Moves over the text and knows the depth of its brackets.
class Scanner {
 public:
  Scanner(const char* begin, const char* end) : p_(begin), end_(end) {}

  const char* position() const { return p_; }
  bool AtEnd() const { return p_ == end_; }
  int64_t depth() const { return depth_; }
  // Whether only blanks stand between the start of the line and the position.
  bool at_line_start() const { return at_line_start_; }
  bool at_column_zero() const { return at_column_zero_; }
  // The last byte passed that is neither blank nor in a comment.
  char last_byte() const { return last_byte_; }

  void Step() {
    at_column_zero_ = false;
    if (const char* behind = SkipQuoted(p_, end_)) {
      if (*p_ != '/') {
        last_byte_ = '"';
        at_line_start_ = false;
      }
      p_ = behind;
      return;
    }
    if (*p_ == '\n') {
      at_line_start_ = at_column_zero_ = true;
    } else if (!IsCharacter(*p_, kBlankCharacter)) {
      at_line_start_ = false;
      last_byte_ = *p_;
    }
    if (*p_ == '{' || *p_ == '(') ++depth_;
    if ((*p_ == '}' || *p_ == ')') && depth_ > 0) --depth_;
    ++p_;
  }

 private:
  const char* p_;
  const char* end_;
  int64_t depth_ = 0;
  bool at_line_start_ = false;
  bool at_column_zero_ = false;
  char last_byte_ = '\0';
};

}  // namespace

// At the brackets' own level an instruction may start anywhere but behind a comma; where brackets
// do not close, only the start of a line is trusted.
void ModuleParser::ResumeAtInstruction(const char* broken_begin) {
  const char* end = cursor_.text_end();
  const char* error = cursor_.token_begin();
  Scanner scanner(broken_begin, end);
  while (!scanner.AtEnd()) {
    const char* p = scanner.position();
    const bool is_behind = p >= error && p != broken_begin;
    if (is_behind && scanner.depth() == 0 && *p == '}') break;
    if (is_behind && scanner.at_column_zero() && (*p == '}' || LooksLikeComputation(p, end))) break;
    const bool is_after_comma = scanner.last_byte() == ',';
    const bool may_start = scanner.at_line_start() || (scanner.depth() == 0 && !is_after_comma);
    const bool is_word_start =
        p != broken_begin && !IsCharacter(p[-1], kIdentifierCharacter) && p[-1] != '%';
    if (is_behind && may_start && is_word_start &&
        LooksLikeInstruction(p, end, scanner.at_line_start() && !is_after_comma)) {
      break;
    }
    scanner.Step();
  }
  cursor_.MoveTo(scanner.position());
}

void ModuleParser::ResumeAtComputation(const char* broken_begin) {
  const char* end = cursor_.text_end();
  const char* error = cursor_.token_begin();
  Scanner scanner(broken_begin, end);
  while (!scanner.AtEnd()) {
    const char* p = scanner.position();
    if (p >= error && p != broken_begin && LooksLikeComputation(p, end) &&
        !IsCharacter(p[-1], kIdentifierCharacter) && p[-1] != '%' &&
        (scanner.depth() == 0 || scanner.at_column_zero())) {
      break;
    }
    scanner.Step();
  }
  cursor_.MoveTo(scanner.position());
}

bool ModuleParser::IsBehindBody() const {
  return cursor_.previous_end() > 0 && *cursor_.PointerTo(cursor_.previous_end() - 1) == '}';
}

bool ModuleParser::AtEndOfUnclosedBody() const {
  if (cursor_.Is(TokenKind::kEnd) || cursor_.IsKeyword(Keyword::kEntry)) return true;
  const uint32_t begin = cursor_.token().range.begin;
  return begin > 0 && *cursor_.PointerTo(begin - 1) == '\n' && cursor_.IsNameRef() &&
         LooksLikeComputation(cursor_.token_begin(), cursor_.text_end());
}

}  // namespace hlo
