// Comments that are meant to silence rules (suppression.h) and do not, for a slip of the pen.
#include <algorithm>
#include <string_view>

#include "verifier/rules.h"

namespace hlo {
namespace {

constexpr std::string_view kTool = "hlo-verify";
constexpr std::string_view kOpening = "hlo-verify: allow(";
constexpr std::string_view kBlanks = " \t\r";

std::string_view WithoutBlanksInFront(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

// Whether a comment speaks to hlo-verify rather than about it.
bool IsAddressed(std::string_view comment) {
  std::string_view text = WithoutBlanksInFront(comment.substr(2));
  if (!text.starts_with(kTool)) return false;
  text = text.substr(kTool.size());
  return text.starts_with(':') || WithoutBlanksInFront(text).starts_with("allow");
}

void CheckPattern(const RuleContext& context, SourceRange range) {
  const std::string_view pattern = context.module().source()->text(range);
  if (IsRulePattern(pattern)) return;
  context.Report(Rule::kCommentAllow, range, "no rule is called `{}`", pattern);
}

// The names between `begin` and `end`, separated by commas.
void CheckPatterns(const RuleContext& context, uint32_t begin, uint32_t end) {
  const std::string_view text = context.module().source()->text({begin, end});
  size_t from = 0;
  while (from <= text.size()) {
    const size_t to = std::min(text.find(',', from), text.size());
    const std::string_view item = text.substr(from, to - from);
    const size_t first = std::min(item.find_first_not_of(kBlanks), item.size());
    const size_t last = item.find_last_not_of(kBlanks) + 1;
    const auto at = static_cast<uint32_t>(begin + from);
    if (first < last) {
      CheckPattern(context, {at + static_cast<uint32_t>(first), at + static_cast<uint32_t>(last)});
    } else {
      context.Report(Rule::kCommentAllow, {begin, end}, "`allow(...)` lacks the name of a rule");
    }
    from = to + 1;
  }
}

void CheckComment(const RuleContext& context, SourceRange comment) {
  const std::string_view text = context.module().source()->text(comment);
  const size_t opening = text.find(kOpening);
  const size_t close = text.find(')', opening);
  if (opening != std::string_view::npos && close != std::string_view::npos) {
    const auto begin = static_cast<uint32_t>(comment.begin + opening + kOpening.size());
    CheckPatterns(context, begin, static_cast<uint32_t>(comment.begin + close));
  } else if (opening != std::string_view::npos || IsAddressed(text)) {
    context.Report(Rule::kCommentAllow, comment,
                   "the comment silences nothing: behind `{}:` it does not say `allow(RULE)`",
                   kTool);
  }
}

}  // namespace

void VerifyComments(const RuleContext& context) {
  if (!context.IsOn(Rule::kCommentAllow)) return;
  for (const SourceRange comment : context.module().comments()) CheckComment(context, comment);
}

}  // namespace hlo
