// HLO text as a list of tokens, and where in it things stand that can be changed.
#ifndef HLOKIT_TOOLS_FUZZ_TEXT_TOKENS_H_
#define HLOKIT_TOOLS_FUZZ_TEXT_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hlo::fuzz {

// A word (name, opcode, type, number), a string, white space, or one character.
struct Token {
  enum class Kind : uint8_t { kWord, kNumber, kString, kSpace, kOther };
  Kind kind;
  std::string text;

  bool Is(std::string_view other) const { return text == other; }
};

using Tokens = std::vector<Token>;

Tokens Tokenize(std::string_view text);
std::string Joined(const Tokens& tokens);
// The text of tokens [begin, end), as far as there are so many.
std::string Slice(const Tokens& tokens, size_t begin, size_t end);
// Puts `text` in the place of tokens [begin, end).
void Replace(Tokens& tokens, size_t begin, size_t end, std::string_view text);

inline constexpr std::string_view kElementTypes[] = {
#define HLO_ELEMENT_TYPE(Name, text, ...)
#define HLO_ARRAY_TYPE(Name, text, ...) text,
#include "ir/element_types.def"
};

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsElementType(std::string_view text);
bool HasNewline(const Token& token);
bool IsAt(const Tokens& tokens, size_t i, std::string_view text);
// The first place from `i` on that is no white space.
size_t SkipSpace(const Tokens& tokens, size_t i);
// The place of the bracket that closes the one at `open`.
std::optional<size_t> Closing(const Tokens& tokens, size_t open);

template <typename Belongs>
std::vector<size_t> Places(const Tokens& tokens, const Belongs& belongs) {
  std::vector<size_t> places;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (belongs(i)) places.push_back(i);
  }
  return places;
}

// A line that defines an instruction: NAME = SHAPE opcode(operands), attributes.
struct Definition {
  size_t name = 0;
  size_t shape = 0;  // first token of it; `opcode` where it is left out
  size_t opcode = 0;
  size_t open = 0;  // of the operands
  size_t close = 0;
  size_t end = 0;  // behind the attributes: the line's end
  bool is_root = false;
  size_t computation = 0;  // number of the computation, counted by closing braces at a line's start
};

std::vector<Definition> Definitions(const Tokens& tokens);
// The words between the parentheses of an instruction.
std::vector<size_t> Operands(const Tokens& tokens, const Definition& definition);
// Names of the instructions that stand above `definition` in its computation.
std::vector<std::string> NamesAbove(const Tokens& tokens, std::span<const Definition> definitions,
                                    const Definition& definition);
// The names that stand first on a line that opens a computation.
std::vector<size_t> HeaderPlaces(const Tokens& tokens);

}  // namespace hlo::fuzz

#endif  // HLOKIT_TOOLS_FUZZ_TEXT_TOKENS_H_
