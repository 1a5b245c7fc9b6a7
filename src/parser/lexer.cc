// The text ends in a NUL, which belongs to no pattern and no class of characters: loops over digits
// or letters run without asking for the end. The order of alternatives is that of grammar.md 1.3
// and 1.6; integers before `,` and `}`, which most numbers are, need none of it. Parsers go back
// and read again, so errors are remembered by their offset.
#include "parser/lexer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "parser/character_class.h"
#include "parser/reserved_words.h"
#include "support/number_text.h"

namespace hlo {
namespace {

const char* SkipDigits(const char* p) {
  while (IsCharacter(*p, kDigitCharacter)) ++p;
  return p;
}

// Each of these returns the end of its token when one starts at `p`, else null. The text ends in
// a NUL, which no pattern contains.

// -?([0-9]+.[0-9]*|[0-9]*.[0-9]+)([eE][+-]?[0-9]+)?|-?[0-9]+[eE][+-]?[0-9]+
const char* MatchDecimal(const char* p) {
  if (*p == '-') ++p;
  const char* end = SkipDigits(p);
  bool has_digits = end != p;
  bool is_decimal = false;
  if (*end == '.') {
    const char* fraction_end = SkipDigits(end + 1);
    is_decimal = has_digits || fraction_end != end + 1;
    if (!is_decimal) return nullptr;
    end = fraction_end;
    has_digits = true;
  }
  if (has_digits && (*end == 'e' || *end == 'E')) {
    const char* exponent = end + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    const char* exponent_end = SkipDigits(exponent);
    if (exponent_end != exponent) return exponent_end;
  }
  return is_decimal ? end : nullptr;
}

const char* MatchLabels(const char* p, std::string_view letters) {
  const char* end = p;
  while (IsCharacter(*end, kDigitCharacter) ||
         (*end != '\0' && letters.find(*end) != std::string_view::npos)) {
    ++end;
  }
  return end - p >= 2 ? end : nullptr;
}

// [0-9bf?]{2,}_[0-9io?]{2,}->[0-9bf?]{2,}
const char* MatchDimLabels(const char* p) {
  p = MatchLabels(p, "bf?");
  if (p == nullptr || *p != '_') return nullptr;
  p = MatchLabels(p + 1, "io?");
  if (p == nullptr || p[0] != '-' || p[1] != '>') return nullptr;
  return MatchLabels(p + 2, "bf?");
}

// [0-9]+(x[0-9]+)+
const char* MatchDxd(const char* p) {
  const char* end = SkipDigits(p);
  if (end == p) return nullptr;
  bool joined = false;
  while (*end == 'x' && IsCharacter(end[1], kDigitCharacter)) {
    end = SkipDigits(end + 1);
    joined = true;
  }
  return joined ? end : nullptr;
}

const char* MatchInteger(const char* p) {
  if (*p == '-') ++p;
  const char* end = SkipDigits(p);
  return end == p ? nullptr : end;
}

// N_N(_M)?
const char* MatchPadGroup(const char* p) {
  const char* end = MatchInteger(p);
  if (end == nullptr || *end != '_') return nullptr;
  end = MatchInteger(end + 1);
  if (end == nullptr) return nullptr;
  if (*end == '_' && IsCharacter(end[1], kDigitCharacter)) end = SkipDigits(end + 1);
  return end;
}

const char* MatchPad(const char* p) {
  const char* end = MatchPadGroup(p);
  while (end != nullptr && *end == 'x') {
    const char* next = MatchPadGroup(end + 1);
    if (next == nullptr) break;
    end = next;
  }
  return end;
}

std::string_view Text(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

Lexer::Lexer(const SourceText& source, DiagnosticSink& sink)
    : sink_(&sink),
      begin_(source.text().data()),
      end_(begin_ + source.text().size()),
      position_(begin_) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (source.text().starts_with(kByteOrderMark)) position_ += kByteOrderMark.size();
}

template <typename... Args>
void Lexer::Error(Token& token, Rule rule, const char* begin, const char* end,
                  fmt::format_string<Args...> format, Args&&... args) {
  Finish(token, TokenKind::kError, begin, end);
  if (token.range.begin < next_error_offset_) return;
  next_error_offset_ = token.range.begin + 1;
  sink_->Error(rule, token.range, format, std::forward<Args>(args)...);
}

// The end of the comment that starts at `p`; null when it is a block comment without end, `p`
// when there is no comment.
const char* Lexer::CommentEnd(const char* p) const {
  if (p[1] == '*') {
    const std::string_view rest = Text(p + 2, end_);
    const size_t close = rest.find("*/");
    return close == std::string_view::npos ? nullptr : p + 2 + close + 2;
  }
  if (p[1] != '/') return p;
  while (p != end_ && *p != '\n' && *p != '\r') ++p;
  return p;
}

const char* Lexer::SkipBlanksAndComments(const char* p) const {
  while (true) {
    while (IsCharacter(*p, kBlankCharacter)) ++p;
    if (*p != '/') return p;
    const char* end = CommentEnd(p);
    if (end == nullptr || end == p) return p;
    p = end;
  }
}

// `position_` is at a `/`: moves behind comments and blanks. False when it starts no comment, or
// one that is wrong.
bool Lexer::SkipComments() {
  while (*position_ == '/') {
    const char* end = CommentEnd(position_);
    if (end == nullptr || end == position_ ||
        std::memchr(position_, '\0', static_cast<size_t>(end - position_)) != nullptr) {
      return false;
    }
    comments_.push_back({OffsetOf(position_), OffsetOf(end)});
    position_ = end;
    while (IsCharacter(*position_, kBlankCharacter)) ++position_;
  }
  return true;
}

void Lexer::ReportBadComment(Token& token) {
  const char* p = position_;
  const char* end = CommentEnd(p);
  if (end == nullptr) {
    Error(token, Rule::kParseUnterminatedComment, p, p + 2, "block comment without `*/`");
    position_ = end_;
  } else if (end == p) {
    Error(token, Rule::kParseIllegalCharacter, p, p + 1, "`/` that starts no comment");
  } else {
    const auto* nul = static_cast<const char*>(std::memchr(p, '\0', static_cast<size_t>(end - p)));
    Error(token, Rule::kParseIllegalCharacter, nul, nul + 1, "NUL byte");
  }
}

void Lexer::Next(Token& token) {
  while (IsCharacter(*position_, kBlankCharacter)) ++position_;
  if (*position_ == '/' && !SkipComments()) return ReportBadComment(token);
  const char* p = position_;
  auto single = [&](TokenKind kind) { Finish(token, kind, p, p + 1); };
  if (IsCharacter(*p, kIdentifierStart)) return LexIdentifier(token, p);
  if (IsCharacter(*p, kDigitCharacter)) return LexNumber(token, p);
  switch (*p) {
    case '%':
      return LexName(token, p);
    case ',':
      return single(TokenKind::kComma);
    case '=':
      return single(TokenKind::kEqual);
    case '(':
      return single(TokenKind::kLeftParen);
    case ')':
      return single(TokenKind::kRightParen);
    case '{':
      return single(TokenKind::kLeftBrace);
    case '}':
      return single(TokenKind::kRightBrace);
    case '[':
      return single(TokenKind::kLeftBracket);
    case ']':
      return single(TokenKind::kRightBracket);
    case '"':
    case '\'':
      return LexString(token, p);
    case '-':
      if (p[1] == '>') return Finish(token, TokenKind::kArrow, p, p + 2);
      return LexNumber(token, p);
    case '?':
      return LexNumber(token, p);
    case ':':
      return single(TokenKind::kColon);
    case '*':
      return single(TokenKind::kStar);
    case '#':
      return single(TokenKind::kHash);
    case '+':
      return single(TokenKind::kPlus);
    case '~':
      return single(TokenKind::kTilde);
    case '<':
      if (p[1] == '=') return Finish(token, TokenKind::kLessEqual, p, p + 2);
      return Error(token, Rule::kParseIllegalCharacter, p, p + 1, "`<` without `=`");
    case '.':
      if (p[1] == '.' && p[2] == '.') return Finish(token, TokenKind::kDots, p, p + 3);
      return Error(token, Rule::kParseIllegalCharacter, p, p + 1,
                   "`.` starts neither `...` nor a number: write `0.5` for `.5`");
    case '\0':
      if (p == end_) return Finish(token, TokenKind::kEnd, p, p);
      return Error(token, Rule::kParseIllegalCharacter, p, p + 1, "NUL byte");
    case ';':
      return Error(token, Rule::kParseIllegalCharacter, p, p + 1, "`;` has no meaning in HLO text");
  }
  const unsigned char byte = static_cast<unsigned char>(*p);
  if (byte > ' ' && byte < 0x7f) {
    return Error(token, Rule::kParseIllegalCharacter, p, p + 1, "illegal character `{}`", *p);
  }
  Error(token, Rule::kParseIllegalCharacter, p, p + 1, "illegal byte 0x{:02x}", byte);
}

// Order of the classification: grammar.md 1.3.
void Lexer::LexIdentifier(Token& token, const char* p) {
  const char* end = p + 1;
  while (IsCharacter(*end, kIdentifierCharacter)) ++end;
  Finish(token, TokenKind::kIdent, p, end);
  if (*end == ':') {
    token.kind = TokenKind::kName;
    ++position_;
    return;
  }
  if (*end == '=') {
    token.kind = TokenKind::kAttr;
    ++position_;
    return;
  }
  if (const ReservedWord* word = FindReservedWord(token.text)) {
    token.kind = word->kind;
    token.type = word->type;
    token.keyword = word->keyword;
    if (token.kind == TokenKind::kNan) LexNan(token, p, end);
    return;
  }
  if (*p == 'b' || *p == 'f') {
    if (const char* labels_end = MatchDimLabels(p)) {
      Finish(token, TokenKind::kDimLabels, p, labels_end);
    }
  }
}

void Lexer::LexName(Token& token, const char* p) {
  const char* end = p + 1;
  if (!IsCharacter(*end, kIdentifierStart)) {
    return Error(token, Rule::kParseIllegalCharacter, p, p + 1,
                 "`%` must be followed by a letter or `_`");
  }
  while (IsCharacter(*end, kIdentifierCharacter)) ++end;
  Finish(token, TokenKind::kName, p, end);
  token.text.remove_prefix(1);
}

// Order of the alternatives: grammar.md 1.6.
void Lexer::LexNumber(Token& token, const char* p) {
  const char* integer_end = MatchInteger(p);
  // Most numbers are followed by one of these and can be nothing but integers.
  if (integer_end != nullptr && (*integer_end == ',' || *integer_end == '}')) {
    return LexInteger(token, p, integer_end);
  }
  if (const char* end = MatchDecimal(p)) return Finish(token, TokenKind::kDecimal, p, end);
  if (const char* end = MatchDimLabels(p)) return Finish(token, TokenKind::kDimLabels, p, end);
  if (const char* end = MatchDxd(p)) return Finish(token, TokenKind::kDxd, p, end);
  if (const char* end = MatchPad(p)) return Finish(token, TokenKind::kPad, p, end);
  if (integer_end != nullptr) return LexInteger(token, p, integer_end);
  if (Text(p, std::min(p + 4, end_)) == "-inf") {
    return Finish(token, TokenKind::kNegInf, p, p + 4);
  }
  if (Text(p, std::min(p + 4, end_)) == "-nan") return LexNan(token, p, p + 4);
  if (*p == '?') return Finish(token, TokenKind::kQuestion, p, p + 1);
  Error(token, Rule::kParseIllegalCharacter, p, p + 1, "`-` without digits");
}

void Lexer::LexInteger(Token& token, const char* p, const char* end) {
  Finish(token, TokenKind::kInt, p, end);
  if (end - p <= 18) {  // cannot overflow
    const bool negative = *p == '-';
    int64_t value = 0;
    for (const char* digit = p + negative; digit != end; ++digit)
      value = value * 10 + (*digit - '0');
    token.integer = negative ? -value : value;
    return;
  }
  std::optional<int64_t> value = ParseInteger(token.text);
  if (!value) {
    return Error(token, Rule::kParseIntegerRange, p, end, "`{}` does not fit 64 bits", token.text);
  }
  token.integer = *value;
}

// -?nan(\(0x[0-9a-fA-F]+\))?, grammar.md 1.7.
void Lexer::LexNan(Token& token, const char* begin, const char* behind_nan) {
  Finish(token, TokenKind::kNan, begin, behind_nan);
  token.integer = 0;
  if (*behind_nan != '(') return;
  constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
  const char* digits = behind_nan + 3;
  const bool has_prefix = Text(behind_nan, std::min(digits, end_)) == "(0x";
  const char* end = digits;
  while (has_prefix && *end != '\0' && kHexDigits.find(*end) != std::string_view::npos) ++end;
  if (!has_prefix || end == digits || *end != ')') {
    return Error(token, Rule::kLiteralNanPayload, begin, behind_nan + 1,
                 "a NaN payload is written `nan(0x1f)`");
  }
  constexpr uint64_t kLimit = uint64_t{1} << 52;
  uint64_t payload = 0;
  for (const char* p = digits; p != end && payload < kLimit; ++p) {
    payload = payload * 16 + (*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
  }
  if (payload == 0 || payload >= kLimit) {
    return Error(token, Rule::kLiteralNanPayload, begin, end + 1,
                 "NaN payload `0x{}` is not in 0x1 ... 0xfffffffffffff", Text(digits, end));
  }
  Finish(token, TokenKind::kNan, begin, end + 1);
  token.integer = static_cast<int64_t>(payload);
}

void Lexer::LexString(Token& token, const char* p) {
  const char quote = *p;
  bool has_escape = false;
  bool is_ascii = true;
  const char* end = p + 1;
  while (true) {
    while (IsCharacter(*end, kPlainStringCharacter)) ++end;
    if (*end == quote) break;
    if (end == end_ || (*end == '\\' && (end + 1 == end_ || end[1] == '\n'))) {
      Error(token, Rule::kParseUnterminatedString, p, p + 1, "string without closing `{}`", quote);
      position_ = end_;
      return;
    }
    if (*end == '\\') {
      has_escape = true;
      ++end;
    }
    if (static_cast<unsigned char>(*end) >= 0x80) is_ascii = false;
    ++end;
  }
  if (!is_ascii && !IsUtf8(Text(p + 1, end))) {
    return Error(token, Rule::kParseStringEncoding, p, end + 1, "string that is not valid UTF-8");
  }
  Finish(token, TokenKind::kString, p, end + 1);
  token.text = Text(p + 1, end);
  token.has_escape = has_escape;
  token.is_ascii = is_ascii;
}

bool IsUtf8(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  for (size_t i = 0; i < text.size();) {
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return false;
    for (int k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    const unsigned char second = byte(i + 1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace hlo
