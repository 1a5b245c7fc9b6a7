// Tokens are views into the text, made one at a time. A `-` is punctuation: whether it belongs to a
// number is for the parser to say. A character that means nothing is a token as well, which no rule
// of the parser takes.
#include "indexing/map_lexer.h"

namespace hlo::indexing {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

MapToken MapLexer::Take(MapToken::Kind kind, size_t length) {
  const size_t begin = position_;
  position_ += length;
  return {kind,
          {static_cast<uint32_t>(begin), static_cast<uint32_t>(position_)},
          text_.substr(begin, length)};
}

void MapLexer::Advance() {
  while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
  if (position_ == text_.size()) {
    token_ = Take(MapToken::Kind::kEnd, 0);
    return;
  }
  const char c = text_[position_];
  size_t end = position_ + 1;
  if (IsLetter(c)) {
    while (end < text_.size() &&
           (IsLetter(text_[end]) || IsDigit(text_[end]) || text_[end] == '.')) {
      ++end;
    }
    token_ = Take(MapToken::Kind::kName, end - position_);
  } else if (IsDigit(c)) {
    while (end < text_.size() && IsDigit(text_[end])) ++end;
    token_ = Take(MapToken::Kind::kNumber, end - position_);
  } else if (text_.substr(position_, 2) == "->") {
    token_ = Take(MapToken::Kind::kPunctuation, 2);
  } else {
    constexpr std::string_view kPunctuation = "()[]{},:+-*/%";
    const bool is_known = kPunctuation.find(c) != std::string_view::npos;
    token_ = Take(is_known ? MapToken::Kind::kPunctuation : MapToken::Kind::kBad, 1);
  }
}

}  // namespace hlo::indexing
