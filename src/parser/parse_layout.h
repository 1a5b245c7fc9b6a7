// The braces behind an array shape (grammar.md 2.8).
#ifndef HLOKIT_PARSER_PARSE_LAYOUT_H_
#define HLOKIT_PARSER_PARSE_LAYOUT_H_

#include <optional>

#include "parser/parse_context.h"

namespace hlo {

// The layout at the current `{` of an array of this rank.
std::optional<Layout> ParseLayout(ParseContext& context, int64_t rank);

}  // namespace hlo

#endif  // HLOKIT_PARSER_PARSE_LAYOUT_H_
