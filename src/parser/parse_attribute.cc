// The table gives the type of an attribute's value, and the type the overload of ParseValue: an
// attribute of a new type does not build until there is one.
#include "parser/parse_attribute.h"

#include "parser/parse_value.h"

namespace hlo {
namespace {

template <typename T>
std::optional<AttributeValue> ParseValueOf(ParseContext& context) {
  T value{};
  if (!ParseValue(context, value)) return std::nullopt;
  return AttributeValue::Make(value, context.arena());
}

}  // namespace

std::optional<AttributeValue> ParseAttributeValue(ParseContext& context, Attr attr) {
  switch (attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return ParseValueOf<Type>(context);
#include "ir/attributes.def"
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo
