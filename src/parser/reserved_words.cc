// A hash table that the compiler fills from the .def files. Every identifier of a text is looked
// for: its length and three of its characters choose the slot, and an empty slot ends the search.
// What is looked for has at least one character.
#include "parser/reserved_words.h"

#include <array>

#include "support/hash_bytes.h"

namespace hlo {
namespace {

constexpr std::string_view kTokenNames[] = {
#define HLO_TOKEN(Name, text) text,
#include "parser/tokens.def"
};

constexpr std::string_view kKeywordTexts[] = {
#define HLO_KEYWORD(Name, text) text,
#include "parser/tokens.def"
};

// Open addressing, a few times larger than its content.
constexpr size_t kSlotCount = 256;
using ReservedWordTable = std::array<ReservedWord, kSlotCount>;

constexpr size_t HashSlot(std::string_view text) {
  const size_t size = text.size();
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(text[i]));
  };
  return (size * 37 + byte(0) * 5 + byte(size / 2) * 17 + byte(size - 1) * 71) % kSlotCount;
}

constexpr void Insert(ReservedWordTable& table, ReservedWord word) {
  size_t slot = HashSlot(word.text);
  while (!table[slot].text.empty()) slot = (slot + 1) % kSlotCount;
  table[slot] = word;
}

constexpr ReservedWordTable MakeTable() {
  ReservedWordTable table{};
#define HLO_ELEMENT_TYPE(Name, text, ...)                                                    \
  if (!std::string_view(text).empty()) {                                                     \
    Insert(table, {text, TokenKind::kPrimitive, ElementType::k##Name, Keyword::kHloModule}); \
  }
#include "ir/element_types.def"
#define HLO_KEYWORD(Name, text)                                                                   \
  Insert(table, {text, Keyword::k##Name == Keyword::kInf ? TokenKind::kInf : TokenKind::kKeyword, \
                 ElementType::kPred, Keyword::k##Name});
#include "parser/tokens.def"
  Insert(table, {"nan", TokenKind::kNan, ElementType::kPred, Keyword::kHloModule});
  return table;
}

constexpr ReservedWordTable kTable = MakeTable();

}  // namespace

std::string_view TokenName(TokenKind kind) { return kTokenNames[static_cast<size_t>(kind)]; }
std::string_view KeywordText(Keyword keyword) {
  return kKeywordTexts[static_cast<size_t>(keyword)];
}

const ReservedWord* FindReservedWord(std::string_view text) {
  for (size_t slot = HashSlot(text); !kTable[slot].text.empty(); slot = (slot + 1) % kSlotCount) {
    if (EqualBytes(kTable[slot].text, text)) return &kTable[slot];
  }
  return nullptr;
}

}  // namespace hlo
