// The lexer has reported an error token, so nothing more is said of it here. Raw blocks are passed
// over byte by byte, because what stands in them need not be tokens (grammar.md 1.9): strings in
// double quotes hide braces, comments do not.
#include "parser/cursor.h"

#include <string>

#include "support/number_text.h"

namespace hlo {

std::string Cursor::DescribeToken() const {
  if (token_.kind == TokenKind::kEnd) return "the end of the text";
  constexpr size_t kLongest = 40;
  const char* begin = token_begin();
  size_t size = token_.range.end - token_.range.begin;
  // The glued punctuation is part of what the reader sees.
  if (token_.kind == TokenKind::kAttr) ++size;
  std::string_view text(begin, size);
  const size_t line_end = std::min(text.find('\n'), text.size());
  if (line_end <= kLongest) return fmt::format("`{}`", text.substr(0, line_end));
  return fmt::format("`{}...`", text.substr(0, kLongest));
}

Failure Cursor::FailExpecting(Rule rule, std::string_view what) {
  if (token_.kind == TokenKind::kError) return Failure();
  return sink_->Error(rule, token_.range, "expected {}, found {}", what, DescribeToken());
}

std::optional<int64_t> Cursor::ExpectInt() {
  if (token_.kind != TokenKind::kInt) return FailExpecting(Rule::kAttrValueKind, "an integer");
  const int64_t value = token_.integer;
  Advance();
  return value;
}

std::optional<bool> Cursor::ExpectBool() {
  if (ConsumeKeyword(Keyword::kTrue)) return true;
  if (ConsumeKeyword(Keyword::kFalse)) return false;
  FailExpecting(Rule::kAttrValueKind, "`true` or `false`");
  return std::nullopt;  // a Failure would become `false`
}

std::optional<double> Cursor::ExpectNumber() {
  if (token_.kind != TokenKind::kInt && token_.kind != TokenKind::kDecimal) {
    return FailExpecting(Rule::kAttrValueKind, "a number");
  }
  std::optional<double> value = ParseDecimal(token_.text);
  if (!value) {
    return sink_->Error(Rule::kAttrValueKind, token_.range, "`{}` is too large for a 64-bit float",
                        token_.text);
  }
  Advance();
  return value;
}

std::optional<std::string_view> Cursor::ExpectString(Arena& arena) {
  if (token_.kind != TokenKind::kString) return FailExpecting(Rule::kAttrValueKind, "a string");
  std::optional<std::string_view> text = DecodeString(token_, arena, *sink_);
  Advance();
  return text;
}

std::optional<std::string_view> Cursor::ExpectRawBlock() {
  if (token_.kind != TokenKind::kLeftBrace) return FailExpecting("`{`");
  const char* begin = token_begin();
  const char* end = text_end();
  int64_t depth = 0;
  for (const char* p = begin; p != end; ++p) {
    if (*p == '{') ++depth;
    if (*p == '}' && --depth == 0) {
      MoveBehind(p + 1);
      return std::string_view(begin, static_cast<size_t>(p + 1 - begin));
    }
    if (*p != '"') continue;
    for (++p; p != end && *p != '"'; ++p) {
      if (*p == '\\' && p + 1 != end) ++p;
    }
    if (p == end) break;
  }
  sink_->Error(Rule::kParseUnbalancedBraces, token_.range, "this `{{` is never closed");
  MoveTo(end);
  return std::nullopt;
}

}  // namespace hlo
