// The tokens of map texts: names, numbers, punctuation.
#ifndef HLOKIT_INDEXING_MAP_LEXER_H_
#define HLOKIT_INDEXING_MAP_LEXER_H_

#include <string_view>

#include "support/source.h"

namespace hlo::indexing {

struct MapToken {
  enum class Kind : uint8_t { kEnd, kName, kNumber, kPunctuation, kBad };
  Kind kind = Kind::kEnd;
  SourceRange range;
  std::string_view text;

  bool Is(std::string_view expected) const {
    return (kind == Kind::kName || kind == Kind::kPunctuation) && text == expected;
  }
};

class MapLexer {
 public:
  explicit MapLexer(std::string_view text) : text_(text) { Advance(); }

  const MapToken& token() const { return token_; }
  void Advance();

 private:
  MapToken Take(MapToken::Kind kind, size_t length);

  std::string_view text_;
  size_t position_ = 0;
  MapToken token_;
};

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_MAP_LEXER_H_
