// Reads the allow comments of a module.
#include "verifier/suppression.h"

#include <algorithm>

#include "verifier/rule.h"

namespace hlo {
namespace {

constexpr std::string_view kOpening = "hlo-verify: allow(";
constexpr std::string_view kBlanks = " \t\r";

std::string_view Strip(std::string_view text) {
  size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool IsBlankOrComment(std::string_view line) {
  line = Strip(line);
  return line.empty() || line.starts_with("//");
}

// The line a comment speaks of: its own when something stands before it, else the next one that
// holds more than comments.
int64_t LineMeant(const SourceText& source, SourceRange comment) {
  SourceRange line;
  std::string_view text = source.LineAt(comment.begin, &line);
  int64_t number = source.Locate(comment.begin).line;
  if (!Strip(text.substr(0, comment.begin - line.begin)).empty()) return number;
  while (IsBlankOrComment(text) && line.end < source.text().size()) {
    text = source.LineAt(line.end + 1, &line);
    ++number;
  }
  return number;
}

}  // namespace

Suppressions::Suppressions(const Module& module) {
  for (SourceRange comment : module.comments()) AddComment(module, comment);
}

void Suppressions::AddComment(const Module& module, SourceRange comment) {
  const SourceText& source = *module.source();
  std::string_view text = source.text(comment);
  size_t opening = text.find(kOpening);
  if (opening == std::string_view::npos) return;
  std::string_view list = text.substr(opening + kOpening.size());
  list = list.substr(0, list.find(')'));
  bool is_header = module.form() == ModuleForm::kFull && comment.begin < module.name_range().begin;
  int64_t line = is_header ? 0 : LineMeant(source, comment);
  while (!list.empty()) {
    size_t comma = list.find(',');
    allowances_.push_back({Strip(list.substr(0, comma)), line});
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
  }
}

bool Suppressions::Covers(const Diagnostic& diagnostic) const {
  return std::any_of(allowances_.begin(), allowances_.end(), [&](const Allowance& allowance) {
    if (!MatchesRulePattern(allowance.pattern, diagnostic.rule)) return false;
    return allowance.line == 0 ||
           allowance.line == diagnostic.source->Locate(diagnostic.range.begin).line;
  });
}

}  // namespace hlo
