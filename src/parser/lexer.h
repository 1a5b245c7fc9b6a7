// Characters to tokens, one at a time, by hand (grammar.md 1).
#ifndef HLOKIT_PARSER_LEXER_H_
#define HLOKIT_PARSER_LEXER_H_

#include <cstdint>
#include <vector>

#include "ir/rule.h"
#include "parser/token.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace hlo {

class Lexer {
 public:
  // Both must outlive the lexer.
  Lexer(const SourceText& source, DiagnosticSink& sink);

  // Reads the next token. What is no token is reported, once however often it is read, and gives
  // kError.
  void Next(Token& token);

  // Where the next token is looked for.
  const char* position() const { return position_; }
  void set_position(const char* position) { position_ = position; }
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  uint32_t OffsetOf(const char* p) const { return static_cast<uint32_t>(p - begin_); }

  // The first byte at or behind `p` that is neither blank nor comment. Reports nothing.
  const char* SkipBlanksAndComments(const char* p) const;

  // All comments passed so far and not taken away; some twice when text was read twice.
  std::vector<SourceRange>& comments() { return comments_; }

 private:
  bool SkipComments();
  void ReportBadComment(Token& token);
  const char* CommentEnd(const char* p) const;
  void LexIdentifier(Token& token, const char* p);
  void LexName(Token& token, const char* p);
  void LexNumber(Token& token, const char* p);
  void LexInteger(Token& token, const char* p, const char* end);
  void LexNan(Token& token, const char* begin, const char* behind_nan);
  void LexString(Token& token, const char* p);
  void Finish(Token& token, TokenKind kind, const char* begin, const char* end) {
    token.kind = kind;
    token.range = {OffsetOf(begin), OffsetOf(end)};
    token.text = {begin, static_cast<size_t>(end - begin)};
    position_ = end;
  }
  template <typename... Args>
  void Error(Token& token, Rule rule, const char* begin, const char* end,
             fmt::format_string<Args...> format, Args&&... args);

  DiagnosticSink* sink_;
  const char* begin_;
  const char* end_;  // the byte there is NUL
  const char* position_;
  uint32_t next_error_offset_ = 0;  // errors before it have been reported
  std::vector<SourceRange> comments_;
};

// Whether `text` is well-formed UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_PARSER_LEXER_H_
