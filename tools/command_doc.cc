// Each kind of document is written in a file of its own (help_text.cc, man_page.cc, completion.cc).
// Here are what they share and two lists: the documents that --generate makes, and what `hlo` can
// do.
#include "tools/command_doc.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
namespace hlo::tools {
namespace {

struct DocumentKind {
  std::string_view name;
  std::string (*make)(const CommandDoc& doc);
};
constexpr DocumentKind kKinds[] = {
    {"man", ManPage}, {"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}};

constexpr SubcommandDoc kSubcommands[] = {
    {"run", "hlo-run", "run programs"},
    {"verify", "hlo-verify", "check them"},
    {"fmt", "hlo-fmt", "format them"},
    {"index", "hlo-index", "say which elements results are made of"},
    {"graph", "hlo-graph", "draw them"},
    {"explain", "hlo-verify", "explain a rule: hlo explain RULE", /*takes_rule=*/true},
};

}  // namespace

std::string OptionDoc::ChoicesText(std::string_view separator) const {
  return fmt::format("{}", fmt::join(choices, separator));
}

bool OptionDoc::ShowsChoices() const {
  constexpr size_t kMostWidth = 50;
  return !choices.empty() && ChoicesText("|").size() <= kMostWidth;
}

bool OptionDoc::TakesFile() const {
  return value != Value::kNone && choices.empty() &&
         (value_name == "FILE" || value_name.ends_with("VALUE"));
}

std::string OptionDoc::FullHelp() const {
  std::string text = help;
  if (!choices.empty() && !ShowsChoices()) text += ": " + ChoicesText(", ");
  if (!default_text.empty()) text += fmt::format(" (default: {})", default_text);
  return text;
}

std::span<const SubcommandDoc> Subcommands() { return kSubcommands; }

std::optional<std::string> GenerateDocument(const CommandDoc& doc, std::string_view kind) {
  const auto found = std::ranges::find(kKinds, kind, &DocumentKind::name);
  if (found == std::end(kKinds)) return std::nullopt;
  return found->make(doc);
}

}  // namespace hlo::tools
