// What stands between two tokens follows from these two and the depth of brackets.
#include "printer/respace.h"

#include <fmt/format.h>

#include <algorithm>

#include "printer/coarse_token.h"

namespace hlo {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A number without zeros that say nothing: 007, .50 and 1.0 are 7, 0.5 and 1. Other words, among
// them numbers with exponents, and -0.0, which XLA would read as an integer, stay as they are.
std::string ShortNumber(std::string_view word) {
  const std::string_view sign = word.substr(0, word.starts_with('-') ? 1 : 0);
  const std::string_view digits = word.substr(sign.size());
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string_view whole = digits.substr(0, point);
  std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
  if (whole.empty() && fraction.empty()) return std::string(word);
  if (!std::ranges::all_of(whole, IsDigit) || !std::ranges::all_of(fraction, IsDigit)) {
    return std::string(word);
  }
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  if (!sign.empty() && whole.empty() && fraction.empty()) return std::string(word);
  return fmt::format("{}{}{}{}", sign, whole.empty() ? "0" : whole, fraction.empty() ? "" : ".",
                     fraction);
}

class Respacer {
 public:
  Respacer(Respacing respacing, int shift) : respacing_(respacing), shift_(shift) {}

  std::string Respace(std::string_view text) {
    while (true) {
      const size_t blanks = std::min(
          static_cast<size_t>(std::ranges::find_if_not(text, IsBlank) - text.begin()), text.size());
      const std::string_view gap = text.substr(0, blanks);
      text.remove_prefix(blanks);
      if (text.empty()) return out_;
      const std::string_view token = FirstCoarseToken(text);
      if (!out_.empty()) out_ += Separator(token, gap);
      Append(token);
      text.remove_prefix(token.size());
    }
  }

 private:
  std::string Separator(std::string_view next, std::string_view gap) const {
    if (gap.find('\n') != std::string_view::npos) return ShiftedLineBreak(gap, shift_);
    if (IsCommentStart(next) && !gap.empty()) return std::string(gap);
    const bool wants_blank =
        respacing_ == Respacing::kAsWritten ? !gap.empty() : WantsBlank(next, !gap.empty());
    return wants_blank ? " " : "";
  }

  bool WantsBlank(std::string_view next, bool has_blank) const {
    const char before = last_[0];
    const char behind = next[0];
    if (before == ',') return braces_ == 0 || respacing_ == Respacing::kLiteral;
    if (behind == ',') return false;
    if (respacing_ == Respacing::kLiteral && (before == '{' || behind == '}')) return has_blank;
    if (IsOpening(before) || IsClosing(behind)) return false;
    if (last_ == "->" || next == "->") return IsOutermost();
    if (before == '=' || behind == '=') {
      return respacing_ == Respacing::kInstruction && IsOutermost();
    }
    if (before == ':' || behind == ':') return before == ':' && braces_ == 0;
    if (behind == '(' && IsWord(last_)) {
      return respacing_ == Respacing::kHead && IsOutermost();
    }
    if (behind == '[' || (behind == '{' && before == ']')) return false;
    return has_blank;
  }

  bool IsOutermost() const { return braces_ == 0 && parentheses_ == 0; }
  static bool IsWord(std::string_view token) {
    return token != "->" && !IsPunctuation(token[0]) && !IsCommentStart(token);
  }

  void Append(std::string_view token) {
    const bool is_number = respacing_ == Respacing::kLiteral && IsWord(token);
    out_ += is_number ? ShortNumber(token) : std::string(token);
    last_ = token;
    if (token.size() != 1) return;
    const int step = IsOpening(token[0]) ? 1 : IsClosing(token[0]) ? -1 : 0;
    (token[0] == '(' || token[0] == ')' ? parentheses_ : braces_) += step;
  }

  const Respacing respacing_;
  const int shift_;
  std::string out_;
  std::string_view last_ = " ";  // token
  int parentheses_ = 0;          // that are open
  int braces_ = 0;               // and brackets
};

}  // namespace

std::string Respaced(std::string_view text, Respacing respacing, int shift) {
  return Respacer(respacing, shift).Respace(text);
}

std::string ShiftedLineBreak(std::string_view gap, int shift) {
  const int column = IndentationOf(gap.substr(gap.rfind('\n') + 1)) + shift;
  const bool has_blank_line = std::ranges::count(gap, '\n') > 1;
  return (has_blank_line ? "\n\n" : "\n") +
         std::string(static_cast<size_t>(std::max(column, 0)), ' ');
}

int IndentationOf(std::string_view blanks) {
  constexpr int kTabWidth = 8;
  int column = 0;
  for (char c : blanks) column += c == '\t' ? kTabWidth - column % kTabWidth : 1;
  return column;
}

std::optional<std::string> WithSpacesOf(std::string_view canonical, std::string_view text) {
  std::string result;
  bool is_in_string = false;
  while (true) {
    while (!is_in_string && !text.empty() && IsBlank(text[0])) text.remove_prefix(1);
    while (!is_in_string && !canonical.empty() && canonical[0] == ' ') {
      result += ' ';
      canonical.remove_prefix(1);
    }
    const bool has_sigil = text.starts_with('%');
    if (!is_in_string && has_sigil != canonical.starts_with('%')) {
      if (has_sigil) result += '%';
      (has_sigil ? text : canonical).remove_prefix(1);
      continue;
    }
    if (text.empty() && canonical.empty()) return result;
    if (text.empty() || canonical.empty() || text[0] != canonical[0]) return std::nullopt;
    const bool is_escape = is_in_string && text[0] == '\\' && text.size() > 1;
    if (is_escape && !canonical.substr(1).starts_with(text[1])) return std::nullopt;
    if (text[0] == '"') is_in_string = !is_in_string;
    const size_t count = is_escape ? 2 : 1;
    result += text.substr(0, count);
    text.remove_prefix(count);
    canonical.remove_prefix(count);
  }
}

}  // namespace hlo
