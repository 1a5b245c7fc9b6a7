// The attribute keys, and how an opcode takes an attribute.
#ifndef HLOKIT_IR_ATTRIBUTE_H_
#define HLOKIT_IR_ATTRIBUTE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/attribute_values.h"
#include "ir/rule.h"

namespace hlo {

enum class Attr : uint8_t {
#define HLO_ATTRIBUTE(Name, ...) k##Name,
#include "ir/attributes.def"
};
inline constexpr int kAttributeCount = 0
#define HLO_ATTRIBUTE(...) +1
#include "ir/attributes.def"
    ;

enum class AttributePlace : uint8_t { kOwn, kTail, kCommon, kPayload, kModule };

struct AttributeInfo {
  std::string_view text;
  AttributePlace place;
};
const AttributeInfo& GetAttributeInfo(Attr attr);
inline std::string_view AttributeName(Attr attr) { return GetAttributeInfo(attr).text; }

// The C++ type of an attribute's value.
namespace internal {
template <Attr kAttr>
struct AttributeTypeOf;
#define HLO_ATTRIBUTE(Name, text, Type)   \
  template <>                             \
  struct AttributeTypeOf<Attr::k##Name> { \
    using type = Type;                    \
  };
#include "ir/attributes.def"
}  // namespace internal
template <Attr kAttr>
using AttributeType = typename internal::AttributeTypeOf<kAttr>::type;

// How an opcode (or the module line) takes one attribute.
struct AttributeUse {
  enum class Presence : uint8_t {
    kRequired,   // must be written, is printed
    kShown,      // may be left out, is printed anyway
    kOptional,   // may be left out, is printed when it differs from the default
    kIfGiven,    // may be left out, has no default, is printed when it was written
    kDiscarded,  // as kIfGiven; XLA reads it and forgets it
  };
  Attr attr;
  Presence presence;
  int64_t default_value;  // of int64, bool and enum values; other types default to T{}
  Rule missing_rule;      // what a text without a required one breaks
};

namespace schema {
constexpr AttributeUse Required(Attr attr, Rule missing_rule = Rule::kAttrRequired) {
  return {attr, AttributeUse::Presence::kRequired, 0, missing_rule};
}
constexpr AttributeUse Shown(Attr attr, int64_t default_value = 0) {
  return {attr, AttributeUse::Presence::kShown, default_value, Rule::kAttrRequired};
}
constexpr AttributeUse Optional(Attr attr, int64_t default_value = 0) {
  return {attr, AttributeUse::Presence::kOptional, default_value, Rule::kAttrRequired};
}
constexpr AttributeUse IfGiven(Attr attr) {
  return {attr, AttributeUse::Presence::kIfGiven, 0, Rule::kAttrRequired};
}
constexpr AttributeUse Discarded(Attr attr, int64_t default_value = 0) {
  return {attr, AttributeUse::Presence::kDiscarded, default_value, Rule::kAttrRequired};
}
}  // namespace schema

// The attributes of the HloModule line, in print order.
std::span<const AttributeUse> ModuleAttributeUses();
// The attributes every opcode takes, in print order.
std::span<const Attr> CommonAttributes();

}  // namespace hlo

#endif  // HLOKIT_IR_ATTRIBUTE_H_
