// The parser's place in the text: the current token, and the usual questions to it. Whatever does
// not fit is reported with what was expected and what stands there.
#ifndef HLOKIT_PARSER_CURSOR_H_
#define HLOKIT_PARSER_CURSOR_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/rule.h"
#include "parser/lexer.h"
#include "parser/token.h"
#include "support/arena.h"
#include "support/diagnostic.h"

namespace hlo {

class Cursor {
 public:
  // Both must outlive the cursor.
  Cursor(const SourceText& source, DiagnosticSink& sink) : lexer_(source, sink), sink_(&sink) {
    lexer_.Next(token_);
  }

  const Token& token() const { return token_; }
  TokenKind kind() const { return token_.kind; }
  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool IsKeyword(Keyword keyword) const {
    return token_.kind == TokenKind::kKeyword && token_.keyword == keyword;
  }
  // An identifier spelled `text`.
  bool IsIdent(std::string_view text) const {
    return token_.kind == TokenKind::kIdent && token_.text == text;
  }
  // A name of any form: `%x`, `x`, or `x:`.
  bool IsNameRef() const {
    return token_.kind == TokenKind::kName || token_.kind == TokenKind::kIdent;
  }

  void Advance() {
    previous_end_ = token_.range.end;
    lexer_.Next(token_);
  }
  // Moves on if the current token is of this kind.
  bool Consume(TokenKind kind) {
    if (token_.kind != kind) return false;
    Advance();
    return true;
  }
  bool ConsumeKeyword(Keyword keyword) {
    if (!IsKeyword(keyword)) return false;
    Advance();
    return true;
  }
  // Moves on over a token of this kind; anything else is an error.
  bool Expect(TokenKind kind) { return Consume(kind) || FailExpecting(TokenName(kind)); }
  // Reports that `what` was expected here.
  Failure FailExpecting(std::string_view what) {
    return FailExpecting(Rule::kParseUnexpectedToken, what);
  }
  Failure FailExpecting(Rule rule, std::string_view what);
  // The current token as it is written, for messages: "`foo`", or "the end of the text".
  std::string DescribeToken() const;

  std::optional<int64_t> ExpectInt();
  std::optional<bool> ExpectBool();
  // An integer or decimal number.
  std::optional<double> ExpectNumber();
  // A string, decoded; escapes are resolved in `arena`.
  std::optional<std::string_view> ExpectString(Arena& arena);
  // The text from the current `{` to its closing brace, verbatim (grammar.md 1.9).
  std::optional<std::string_view> ExpectRawBlock();

  // The end of the token before the current one.
  uint32_t previous_end() const { return previous_end_; }
  // From `begin` to the end of the token before the current one.
  SourceRange RangeFrom(uint32_t begin) const { return {begin, previous_end_}; }

  // The first byte behind the current token that is neither blank nor comment.
  char PeekByte() const { return *lexer_.SkipBlanksAndComments(lexer_.position()); }
  // The bytes at and behind the current token; NUL at the end.
  const char* token_begin() const { return lexer_.begin() + token_.range.begin; }
  const char* text_end() const { return lexer_.end(); }
  // Makes the token at or behind byte `p` the current one.
  void MoveTo(const char* p) {
    lexer_.set_position(p);
    lexer_.Next(token_);
  }
  // The same; the text before `p` was one unit that ended there.
  void MoveBehind(const char* p) {
    previous_end_ = lexer_.OffsetOf(p);
    MoveTo(p);
  }
  uint32_t OffsetOf(const char* p) const { return lexer_.OffsetOf(p); }
  const char* PointerTo(uint32_t offset) const { return lexer_.begin() + offset; }
  const char* SkipBlanksAndComments(const char* p) const { return lexer_.SkipBlanksAndComments(p); }

  // The comments passed so far and not taken away.
  std::vector<SourceRange>& comments() { return lexer_.comments(); }
  DiagnosticSink& sink() { return *sink_; }

 private:
  Lexer lexer_;
  DiagnosticSink* sink_;
  Token token_;
  uint32_t previous_end_ = 0;
};

// The content of a string token with its escapes resolved (grammar.md 1.8); a wrong one is
// reported. Without escapes the result is a view into the text.
std::optional<std::string_view> DecodeString(const Token& token, Arena& arena,
                                             DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_PARSER_CURSOR_H_
