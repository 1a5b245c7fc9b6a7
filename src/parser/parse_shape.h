// Shapes and layouts (grammar.md 2.7, 2.8).
#ifndef HLOKIT_PARSER_PARSE_SHAPE_H_
#define HLOKIT_PARSER_PARSE_SHAPE_H_

#include <optional>

#include "parser/parse_context.h"

namespace hlo {

// Whether a shape begins at the current token (grammar.md 2.5).
bool AtShape(const ParseContext& context);

// The shape at the current token, stored in the module, or null. Missing layouts are filled in
// as the options say.
const Shape* ParseStoredShape(ParseContext& context);

}  // namespace hlo

#endif  // HLOKIT_PARSER_PARSE_SHAPE_H_
