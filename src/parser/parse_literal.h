// Literals (grammar.md 2.9).
#ifndef HLOKIT_PARSER_PARSE_LITERAL_H_
#define HLOKIT_PARSER_PARSE_LITERAL_H_

#include <optional>

#include "parser/parse_context.h"

namespace hlo {

// The literal of `shape` at the current token.
std::optional<Literal> ParseLiteralOf(ParseContext& context, const Shape& shape);

// A literal that brings its shape: `s32[2]{0} {1, 2}`, `(s32[] 1, f32[] 2)`.
std::optional<Literal> ParseLiteralWithShapes(ParseContext& context);

}  // namespace hlo

#endif  // HLOKIT_PARSER_PARSE_LITERAL_H_
