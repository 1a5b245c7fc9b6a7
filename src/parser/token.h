// The tokens of HLO text (grammar.md 1.2).
#ifndef HLOKIT_PARSER_TOKEN_H_
#define HLOKIT_PARSER_TOKEN_H_

#include <cstdint>
#include <string_view>

#include "ir/element_type.h"
#include "support/source.h"

namespace hlo {

enum class TokenKind : uint8_t {
#define HLO_TOKEN(Name, text) k##Name,
#include "parser/tokens.def"
};

enum class Keyword : uint8_t {
#define HLO_KEYWORD(Name, text) k##Name,
#include "parser/tokens.def"
};

// What a token is called in messages.
std::string_view TokenName(TokenKind kind);
std::string_view KeywordText(Keyword keyword);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Keyword keyword = Keyword::kHloModule;  // of kKeyword
  ElementType type = ElementType::kPred;  // of kPrimitive
  bool has_escape = false;                // of kString: a backslash stands in it
  bool is_ascii = true;                   // of kString
  SourceRange range;      // without the glued `:` or `=` of names and attribute keys
  std::string_view text;  // without `%`, quotes and glued punctuation
  int64_t integer = 0;    // of kInt; the payload of kNan, 0 when there is none
};

}  // namespace hlo

#endif  // HLOKIT_PARSER_TOKEN_H_
