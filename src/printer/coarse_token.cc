// Far less than the parser's lexer: strings and comments stay whole, what is no punctuation is a
// word, and nothing is an error, since all text here has been read by the parser.
#include "printer/coarse_token.h"

namespace hlo {
namespace {

// The length of the string that begins `text`.
size_t StringLength(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      return i + 1;
    }
  }
  return text.size();
}

size_t CommentLength(std::string_view text) {
  const bool is_line = text.starts_with("//");
  const size_t end = text.find(is_line ? "\n" : "*/", 2);
  if (end == std::string_view::npos) return text.size();
  return is_line ? end : end + 2;
}

size_t WordLength(std::string_view text) {
  size_t length = 1;
  while (length < text.size()) {
    const std::string_view rest = text.substr(length);
    if (IsBlank(rest[0]) || IsPunctuation(rest[0]) || rest[0] == '"' || rest.starts_with("->") ||
        IsCommentStart(rest)) {
      break;
    }
    ++length;
  }
  return length;
}

}  // namespace

std::string_view FirstCoarseToken(std::string_view text) {
  if (text[0] == '"' || text[0] == '\'') return text.substr(0, StringLength(text));
  if (IsCommentStart(text)) return text.substr(0, CommentLength(text));
  if (text.starts_with("->")) return text.substr(0, 2);
  return IsPunctuation(text[0]) ? text.substr(0, 1) : text.substr(0, WordLength(text));
}

bool EndsWithLineComment(std::string_view text) {
  bool is_comment = false;
  while (!text.empty()) {
    const bool is_blank = IsBlank(text[0]);
    const std::string_view token = is_blank ? text.substr(0, 1) : FirstCoarseToken(text);
    if (!is_blank) is_comment = token.starts_with("//");
    text.remove_prefix(token.size());
  }
  return is_comment;
}

}  // namespace hlo
