// C-style escapes of string tokens (grammar.md 1.8).
#include <cstring>
#include <string>

#include "parser/cursor.h"

namespace hlo {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendUtf8(uint32_t code_point, std::string& text) {
  const auto byte = [&](uint32_t value) { text += static_cast<char>(value); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xc0 | code_point >> 6);
    byte(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    byte(0xe0 | code_point >> 12);
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  } else {
    byte(0xf0 | code_point >> 18);
    byte(0x80 | (code_point >> 12 & 0x3f));
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  }
}

// Decodes one escape; `rest` starts behind its backslash. Returns the number of characters it
// takes, 0 when it is none.
size_t DecodeEscape(std::string_view rest, std::string& text) {
  constexpr std::string_view kLetters = "abfnrtv\\?'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\?'\"";
  const char c = rest[0];
  if (const size_t i = kLetters.find(c); i != std::string_view::npos) {
    text += kMeanings[i];
    return 1;
  }
  size_t length = 0;
  uint32_t value = 0;
  if (c >= '0' && c <= '7') {
    while (length < 3 && length < rest.size() && rest[length] >= '0' && rest[length] <= '7') {
      value = value * 8 + static_cast<uint32_t>(rest[length++] - '0');
    }
    if (value > 0xff) return 0;
    text += static_cast<char>(value);
    return length;
  }
  if (c != 'x' && c != 'X' && c != 'u' && c != 'U') return 0;
  const size_t digit_limit = c == 'u' ? 4 : c == 'U' ? 8 : rest.size();
  for (length = 1; length < rest.size() && length <= digit_limit; ++length) {
    const int digit = HexValue(rest[length]);
    if (digit < 0) break;
    value = value * 16 + static_cast<uint32_t>(digit);
    if (value > 0x10ffff) return 0;
  }
  if (c == 'x' || c == 'X') {
    if (length == 1 || value > 0xff) return 0;
    text += static_cast<char>(value);
    return length;
  }
  if (length != digit_limit + 1 || (value >= 0xd800 && value < 0xe000)) return 0;
  AppendUtf8(value, text);
  return length;
}

}  // namespace

std::optional<std::string_view> DecodeString(const Token& token, Arena& arena,
                                             DiagnosticSink& sink) {
  if (!token.has_escape) return token.text;
  std::string text;
  text.reserve(token.text.size());
  const std::string_view body = token.text;
  for (size_t i = 0; i < body.size();) {
    if (body[i] != '\\') {
      const size_t next = std::min(body.find('\\', i), body.size());
      text.append(body.substr(i, next - i));
      i = next;
      continue;
    }
    const size_t length = DecodeEscape(body.substr(i + 1), text);
    if (length == 0) {
      const uint32_t begin = token.range.begin + 1 + static_cast<uint32_t>(i);
      return sink.Error(Rule::kParseBadEscape, {begin, begin + 2},
                        "`\\{}` starts no escape that a string can hold", body[i + 1]);
    }
    i += 1 + length;
  }
  return arena.CopyText(text);
}

}  // namespace hlo
