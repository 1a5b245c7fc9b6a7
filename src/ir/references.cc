// The walk over attribute values, expanded from the attribute table.
#include "ir/references.h"

#include <vector>

namespace hlo {

AttributeValue MapReferences(Attr attr, const AttributeValue& value, ReferenceMap& map) {
  switch (attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return AttributeValue::Make(MapReferences(value.Get<Type>(), map), map.arena());
#include "ir/attributes.def"
  }
  HLO_UNREACHABLE();
}

AttributeMap MapReferences(const AttributeMap& attributes, ReferenceMap& map) {
  std::vector<Attribute> mapped(attributes.begin(), attributes.end());
  for (Attribute& attribute : mapped) {
    attribute.value = MapReferences(attribute.attr, attribute.value, map);
  }
  return AttributeMap(List<Attribute>(map.arena().CopyItems(std::span<const Attribute>(mapped))));
}

ShapeRef IntoModule::Map(ShapeRef shape) {
  return {shape.shape == nullptr ? nullptr : target_.InternShape(*shape.shape)};
}

LiteralRef IntoModule::Map(LiteralRef literal) {
  return {literal.literal == nullptr ? nullptr : target_.AddLiteral(*literal.literal)};
}

}  // namespace hlo
