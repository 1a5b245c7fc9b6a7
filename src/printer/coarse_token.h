// Tokens of HLO text as far as white space and brackets are concerned.
#ifndef HLOKIT_PRINTER_COARSE_TOKEN_H_
#define HLOKIT_PRINTER_COARSE_TOKEN_H_

#include <string_view>

namespace hlo {

inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool IsPunctuation(char c) {
  return std::string_view("()[]{},=:").find(c) != std::string_view::npos;
}
inline bool IsOpening(char c) { return c == '(' || c == '[' || c == '{'; }
inline bool IsClosing(char c) { return c == ')' || c == ']' || c == '}'; }
inline bool IsCommentStart(std::string_view text) {
  return text.starts_with("//") || text.starts_with("/*");
}

// What `text`, which begins with no blank, begins with: a string, a comment (of `//` without the
// line end), `->`, a punctuation mark, or a word, which is all the rest.
std::string_view FirstCoarseToken(std::string_view text);

// Whether nothing can stand behind `text` on its last line.
bool EndsWithLineComment(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_COARSE_TOKEN_H_
