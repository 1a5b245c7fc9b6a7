// "did you mean": the known word nearest to an unknown one.
#ifndef HLOKIT_PARSER_SPELLING_H_
#define HLOKIT_PARSER_SPELLING_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hlo {

// The candidate that takes the fewest insertions, deletions, replacements and swaps to become
// `word`, when few enough are needed.
std::optional<std::string_view> NearestWord(std::string_view word,
                                            std::span<const std::string_view> candidates);

// ": did you mean `x`?", or nothing.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace hlo

#endif  // HLOKIT_PARSER_SPELLING_H_
