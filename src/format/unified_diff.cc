// Equal heads and tails are cut off, lines that occur once on both sides anchor the rest
// ("patience" difference), and small gaps between anchors are compared by dynamic programming.
// Gaps too large for that come out as replaced: still a correct difference, in bounded time.
#include "format/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace hlo {
namespace {

constexpr size_t kMaxTableSize = size_t{1} << 22;

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

// Lines as numbers: equal lines have equal numbers.
struct NumberedLines {
  std::vector<uint32_t> old_lines;
  std::vector<uint32_t> new_lines;
};

NumberedLines NumberLines(const std::vector<std::string_view>& old_lines,
                          const std::vector<std::string_view>& new_lines) {
  absl::flat_hash_map<std::string, uint32_t> numbers;
  auto number = [&](std::string_view line) {
    return numbers.try_emplace(std::string(line), static_cast<uint32_t>(numbers.size()))
        .first->second;
  };
  NumberedLines result;
  for (std::string_view line : old_lines) result.old_lines.push_back(number(line));
  for (std::string_view line : new_lines) result.new_lines.push_back(number(line));
  return result;
}

struct Match {
  size_t old_line;
  size_t new_line;
};

// The parts [old_begin, old_end) and [new_begin, new_end) of the two texts.
struct Region {
  size_t old_begin, old_end, new_begin, new_end;
};

class Matcher {
 public:
  explicit Matcher(const NumberedLines& lines) : old_(lines.old_lines), new_(lines.new_lines) {}

  // Pairs of equal lines, ascending on both sides.
  std::vector<Match> Run() {
    MatchRegion({0, old_.size(), 0, new_.size()});
    return std::move(matches_);
  }

 private:
  void MatchRegion(Region region) {
    while (region.old_begin < region.old_end && region.new_begin < region.new_end &&
           old_[region.old_begin] == new_[region.new_begin]) {
      matches_.push_back({region.old_begin++, region.new_begin++});
    }
    std::vector<Match> tail;
    while (region.old_begin < region.old_end && region.new_begin < region.new_end &&
           old_[region.old_end - 1] == new_[region.new_end - 1]) {
      tail.push_back({--region.old_end, --region.new_end});
    }
    if (region.old_begin < region.old_end && region.new_begin < region.new_end) {
      MatchMiddle(region);
    }
    matches_.insert(matches_.end(), tail.rbegin(), tail.rend());
  }

  void MatchMiddle(const Region& region) {
    const size_t old_count = region.old_end - region.old_begin;
    const size_t new_count = region.new_end - region.new_begin;
    if (old_count <= kMaxTableSize / (new_count + 1)) return MatchByTable(region);
    Region rest = region;
    for (const Match& anchor : FindAnchors(region)) {
      MatchRegion({rest.old_begin, anchor.old_line, rest.new_begin, anchor.new_line});
      matches_.push_back(anchor);
      rest.old_begin = anchor.old_line + 1;
      rest.new_begin = anchor.new_line + 1;
    }
    if (rest.old_begin != region.old_begin) MatchRegion(rest);
  }

  // The longest ascending sequence of lines that occur exactly once on both sides.
  std::vector<Match> FindAnchors(const Region& region) const {
    struct Occurrences {
      int old_count = 0, new_count = 0;
      size_t old_line = 0, new_line = 0;
    };
    absl::flat_hash_map<uint32_t, Occurrences> occurrences;
    for (size_t i = region.old_begin; i < region.old_end; ++i) {
      Occurrences& o = occurrences[old_[i]];
      ++o.old_count;
      o.old_line = i;
    }
    for (size_t i = region.new_begin; i < region.new_end; ++i) {
      Occurrences& o = occurrences[new_[i]];
      ++o.new_count;
      o.new_line = i;
    }
    std::vector<Match> unique;
    for (size_t i = region.old_begin; i < region.old_end; ++i) {
      const Occurrences& o = occurrences[old_[i]];
      if (o.old_count == 1 && o.new_count == 1) unique.push_back({i, o.new_line});
    }
    return LongestAscending(unique);
  }

  // By patience sorting on new_line; old_line already ascends.
  static std::vector<Match> LongestAscending(const std::vector<Match>& matches) {
    std::vector<size_t> pile_tops;
    std::vector<size_t> previous(matches.size(), SIZE_MAX);
    for (size_t i = 0; i < matches.size(); ++i) {
      const auto pile = std::lower_bound(
          pile_tops.begin(), pile_tops.end(), matches[i].new_line,
          [&](size_t top, size_t new_line) { return matches[top].new_line < new_line; });
      if (pile != pile_tops.begin()) previous[i] = *(pile - 1);
      if (pile == pile_tops.end()) {
        pile_tops.push_back(i);
      } else {
        *pile = i;
      }
    }
    std::vector<Match> result;
    for (size_t i = pile_tops.empty() ? SIZE_MAX : pile_tops.back(); i != SIZE_MAX;
         i = previous[i]) {
      result.push_back(matches[i]);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

  // The longest common subsequence: length[i][j] is that of the tails from i and j on.
  void MatchByTable(const Region& region) {
    const size_t rows = region.old_end - region.old_begin;
    const size_t columns = region.new_end - region.new_begin;
    std::vector<uint32_t> length((rows + 1) * (columns + 1), 0);
    auto at = [&](size_t i, size_t j) -> uint32_t& { return length[i * (columns + 1) + j]; };
    auto equal = [&](size_t i, size_t j) {
      return old_[region.old_begin + i] == new_[region.new_begin + j];
    };
    for (size_t i = rows; i-- > 0;) {
      for (size_t j = columns; j-- > 0;) {
        at(i, j) = equal(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (equal(i, j)) {
        matches_.push_back({region.old_begin + i++, region.new_begin + j++});
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  const std::vector<uint32_t>& old_;
  const std::vector<uint32_t>& new_;
  std::vector<Match> matches_;
};

class HunkWriter {
 public:
  HunkWriter(const std::vector<std::string_view>& old_lines,
             const std::vector<std::string_view>& new_lines, const DiffOptions& options)
      : old_(old_lines), new_(new_lines), options_(options) {}

  // Hunks around the lines that no match covers.
  std::string Write(const std::vector<Match>& matches) {
    Region gap{0, 0, 0, 0};
    for (const Match& match : matches) {
      gap.old_end = match.old_line;
      gap.new_end = match.new_line;
      AddGap(gap);
      gap.old_begin = match.old_line + 1;
      gap.new_begin = match.new_line + 1;
    }
    gap.old_end = old_.size();
    gap.new_end = new_.size();
    AddGap(gap);
    FlushHunk();
    return std::move(text_);
  }

 private:
  size_t context() const { return static_cast<size_t>(options_.context_line_count); }

  void AddGap(const Region& gap) {
    if (gap.old_begin == gap.old_end && gap.new_begin == gap.new_end) return;
    if (!gaps_.empty() && gap.old_begin - gaps_.back().old_end > 2 * context()) FlushHunk();
    gaps_.push_back(gap);
  }

  void FlushHunk() {
    if (gaps_.empty()) return;
    const size_t before = std::min(context(), gaps_.front().old_begin);
    const size_t after = std::min(context(), old_.size() - gaps_.back().old_end);
    const Region hunk{gaps_.front().old_begin - before, gaps_.back().old_end + after,
                      gaps_.front().new_begin - before, gaps_.back().new_end + after};
    Line("\x1b[36m", fmt::format("@@ -{} +{} @@\n", Range(hunk.old_begin, hunk.old_end),
                                 Range(hunk.new_begin, hunk.new_end)));
    size_t next = hunk.old_begin;
    for (const Region& gap : gaps_) {
      for (; next < gap.old_begin; ++next) TextLine("", ' ', old_[next]);
      for (; next < gap.old_end; ++next) TextLine("\x1b[31m", '-', old_[next]);
      for (size_t i = gap.new_begin; i < gap.new_end; ++i) TextLine("\x1b[32m", '+', new_[i]);
    }
    for (; next < hunk.old_end; ++next) TextLine("", ' ', old_[next]);
    gaps_.clear();
  }

  // As diff writes it: a count of 1 is left out, an empty range names the line before it.
  static std::string Range(size_t begin, size_t end) {
    const size_t count = end - begin;
    if (count == 1) return fmt::format("{}", begin + 1);
    return fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
  }

  void TextLine(std::string_view color, char mark, std::string_view line) {
    const bool complete = line.ends_with('\n');
    Line(color,
         fmt::format("{}{}{}", mark, line, complete ? "" : "\n\\ No newline at end of file\n"));
  }

  void Line(std::string_view color, std::string_view line) {
    if (!options_.color || color.empty()) {
      text_ += line;
      return;
    }
    line.remove_suffix(1);
    text_ += fmt::format("{}{}\x1b[0m\n", color, line);
  }

  const std::vector<std::string_view>& old_;
  const std::vector<std::string_view>& new_;
  const DiffOptions& options_;
  std::vector<Region> gaps_;
  std::string text_;
};

}  // namespace

std::string UnifiedDiff(std::string_view old_name, std::string_view old_text,
                        std::string_view new_name, std::string_view new_text,
                        const DiffOptions& options) {
  if (old_text == new_text) return "";
  const std::vector<std::string_view> old_lines = SplitLines(old_text);
  const std::vector<std::string_view> new_lines = SplitLines(new_text);
  const NumberedLines numbered = NumberLines(old_lines, new_lines);
  const std::vector<Match> matches = Matcher(numbered).Run();
  return fmt::format("--- {}\n+++ {}\n", old_name, new_name) +
         HunkWriter(old_lines, new_lines, options).Write(matches);
}

}  // namespace hlo
