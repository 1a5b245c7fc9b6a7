// A third of a word's characters may be wrong, at least one; each candidate has to beat the best
// before it, so the first of equals stands. Long words are not compared, which bounds the cost of
// one comparison; who has many candidates bounds their number.
#include "parser/spelling.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace hlo {
namespace {

// Optimal string alignment distance; words beyond kLongestWord are not compared.
constexpr size_t kLongestWord = 64;

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_previous(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_previous[j - 2] + 1);
      }
    }
    std::swap(before_previous, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string_view> NearestWord(std::string_view word,
                                            std::span<const std::string_view> candidates) {
  if (word.size() < 2 || word.size() > kLongestWord) return std::nullopt;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  std::optional<std::string_view> nearest;
  for (std::string_view candidate : candidates) {
    const size_t size_difference =
        std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (candidate.size() > kLongestWord || size_difference >= least) continue;
    const size_t distance = EditDistance(word, candidate);
    if (distance >= least || distance == 0) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> nearest = NearestWord(word, candidates);
  return nearest ? fmt::format(": did you mean `{}`?", *nearest) : std::string();
}

}  // namespace hlo
