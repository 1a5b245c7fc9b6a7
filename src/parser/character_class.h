// What each byte may begin or continue (grammar.md 1.1 to 1.3).
#ifndef HLOKIT_PARSER_CHARACTER_CLASS_H_
#define HLOKIT_PARSER_CHARACTER_CLASS_H_

#include <array>
#include <cstdint>

namespace hlo {

enum CharacterClass : uint8_t {
  kBlankCharacter = 1,
  kIdentifierStart = 2,
  kIdentifierCharacter = 4,
  kDigitCharacter = 8,
  kPlainStringCharacter = 16,  // neither quote nor backslash, ASCII, not NUL
};

namespace internal {
constexpr std::array<uint8_t, 256> MakeCharacterClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 1; c < 128; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') classes[c] |= kBlankCharacter;
    if (letter) classes[c] |= kIdentifierStart;
    if (letter || digit || c == '.' || c == '-') classes[c] |= kIdentifierCharacter;
    if (digit) classes[c] |= kDigitCharacter;
    if (c != '"' && c != '\'' && c != '\\') classes[c] |= kPlainStringCharacter;
  }
  return classes;
}
inline constexpr std::array<uint8_t, 256> kCharacterClasses = MakeCharacterClasses();
}  // namespace internal

inline bool IsCharacter(char c, CharacterClass character_class) {
  return (internal::kCharacterClasses[static_cast<unsigned char>(c)] & character_class) != 0;
}

}  // namespace hlo

#endif  // HLOKIT_PARSER_CHARACTER_CLASS_H_
