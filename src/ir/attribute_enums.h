// Attribute values that are words, as enums: their list is attribute_enums.def.
#ifndef HLOKIT_IR_ATTRIBUTE_ENUMS_H_
#define HLOKIT_IR_ATTRIBUTE_ENUMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hlo {

#define HLO_ENUM(Type, case_sensitive) enum class Type : uint8_t {
#define HLO_ENUM_VALUE(Type, Name, text) k##Name,
#define HLO_ENUM_END(Type) \
  }                        \
  ;
#include "ir/attribute_enums.def"

// The texts of E's values, in the order of the enumerators, and how they are matched.
template <typename E>
struct EnumTexts;
#define HLO_ENUM(Type, case_sensitive)                     \
  template <>                                              \
  struct EnumTexts<Type> {                                 \
    static constexpr bool kCaseSensitive = case_sensitive; \
    static constexpr std::string_view kTexts[] = {
#define HLO_ENUM_VALUE(Type, Name, text) text,
#define HLO_ENUM_END(Type) \
  }                        \
  ;                        \
  }                        \
  ;
#include "ir/attribute_enums.def"

template <typename E>
concept AttributeEnum = requires {
  EnumTexts<E>::kTexts;
};

template <AttributeEnum E>
constexpr std::string_view EnumText(E value) {
  return EnumTexts<E>::kTexts[static_cast<size_t>(value)];
}

// The index of `text` among `texts`, or nothing. Letters match without regard to case when
// `case_sensitive` is false.
std::optional<size_t> FindEnumText(std::string_view text, std::span<const std::string_view> texts,
                                   bool case_sensitive);

template <AttributeEnum E>
std::optional<E> ParseEnum(std::string_view text) {
  std::optional<size_t> index =
      FindEnumText(text, EnumTexts<E>::kTexts, EnumTexts<E>::kCaseSensitive);
  if (!index) return std::nullopt;
  return static_cast<E>(*index);
}

}  // namespace hlo

#endif  // HLOKIT_IR_ATTRIBUTE_ENUMS_H_
