// Identifiers that are tokens of their own: element types, keywords, `nan` (grammar.md 1.3).
#ifndef HLOKIT_PARSER_RESERVED_WORDS_H_
#define HLOKIT_PARSER_RESERVED_WORDS_H_

#include <string_view>

#include "parser/token.h"

namespace hlo {

struct ReservedWord {
  std::string_view text;
  TokenKind kind = TokenKind::kIdent;  // kPrimitive, kKeyword, kInf or kNan
  ElementType type = ElementType::kPred;
  Keyword keyword = Keyword::kHloModule;
};

// The reserved word spelled `text`, or null.
const ReservedWord* FindReservedWord(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_PARSER_RESERVED_WORDS_H_
