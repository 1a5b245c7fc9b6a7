// The table gives the type of an untyped value, overloads say when a value of that type says
// nothing. Numbers, booleans and words compare with the default in the opcode's row, all else with
// the empty value, unless even that says something. What is required, discarded or printed whenever
// it was given has no default.
#include "ir/attribute_default.h"

#include <algorithm>

#include "support/check.h"

namespace hlo {
namespace {

// Integers, booleans and words have their default in the table.
template <typename T>
concept Scalar = std::is_same_v<T, int64_t> || std::is_same_v<T, bool> || AttributeEnum<T>;

template <typename T>
bool IsEmptyValue(const T& value) {
  return value == T{};
}
// A list of default precisions means the same as none; `{false}` is how "no propagation" reads
// in full (grammar.md 10.2).
bool IsEmptyValue(const PrecisionList& value) {
  return std::all_of(value.begin(), value.end(),
                     [](Precision p) { return p == Precision::kDefault; });
}
bool IsEmptyValue(const BoolList& value) {
  return value.empty() || (value.size() == 1 && !value.front());
}
bool IsEmptyValue(const Statistics& value) { return value.values.empty(); }
// These say something even when they are empty.
bool IsEmptyValue(const Sharding&) { return false; }
bool IsEmptyValue(const OriginalValue&) { return false; }
bool IsEmptyValue(const ShapeRef& value) { return value.shape == nullptr; }

template <typename T>
bool IsDefault(const AttributeUse* use, const T& value) {
  if constexpr (Scalar<T>) {
    return value == static_cast<T>(use == nullptr ? 0 : use->default_value);
  } else {
    return IsEmptyValue(value);
  }
}

}  // namespace

bool IsDefaultValue(const AttributeUse* use, Attr attr, const AttributeValue& value) {
  using Presence = AttributeUse::Presence;
  if (use != nullptr && use->presence != Presence::kShown && use->presence != Presence::kOptional) {
    return false;
  }
  switch (attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return IsDefault<Type>(use, value.Get<Type>());
#include "ir/attributes.def"
  }
  HLO_UNREACHABLE();
}

const AttributeUse* FindModuleAttributeUse(Attr attr) {
  for (const AttributeUse& use : ModuleAttributeUses()) {
    if (use.attr == attr) return &use;
  }
  return nullptr;
}

}  // namespace hlo
