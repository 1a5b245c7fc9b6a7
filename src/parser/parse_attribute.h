// The value of any attribute.
#ifndef HLOKIT_PARSER_PARSE_ATTRIBUTE_H_
#define HLOKIT_PARSER_PARSE_ATTRIBUTE_H_

#include <optional>

#include "parser/parse_context.h"

namespace hlo {

// Reads the value of `attr`, in the syntax its type has.
std::optional<AttributeValue> ParseAttributeValue(ParseContext& context, Attr attr);

}  // namespace hlo

#endif  // HLOKIT_PARSER_PARSE_ATTRIBUTE_H_
