// Help as --help and --help-all print it: names on the left, what they do on the right.
#include <fmt/format.h>

#include <algorithm>

#include "tools/command_doc.h"

namespace hlo::tools {
namespace {

constexpr int kIndent = 2;
constexpr int kHelpColumn = 28;     // of options
constexpr int kCommandColumn = 12;  // of `hlo COMMAND`
constexpr int kLeastHelpWidth = 30;

// Appends the words of `line`, whose first one stands at `column`, in lines of at most `width`.
void AppendWrapped(std::string_view line, int column, int width, std::string* text) {
  int at = column;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    const auto word_width = static_cast<int>(word.size());
    if (at > column && at + 1 + word_width > width) {
      *text += fmt::format("\n{:{}}", "", column);
      at = column;
    } else if (at > column) {
      *text += ' ';
      ++at;
    }
    *text += word;
    at += word_width;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

void AppendParagraphs(std::string_view help, int column, int width, std::string* text) {
  bool is_first = true;
  while (!help.empty()) {
    const size_t end = std::min(help.find('\n'), help.size());
    if (!is_first) *text += fmt::format("\n{:{}}", "", column);
    AppendWrapped(help.substr(0, end), column, width, text);
    help.remove_prefix(std::min(end + 1, help.size()));
    is_first = false;
  }
  *text += '\n';
}

std::string ValueText(const OptionDoc& option) {
  const std::string value = option.ShowsChoices() ? option.ChoicesText("|") : option.value_name;
  switch (option.value) {
    case OptionDoc::Value::kNone:
      return "";
    case OptionDoc::Value::kOptional:
      return fmt::format("[={}]", value);
    case OptionDoc::Value::kRequired:
      return "=" + value;
  }
  return "";
}

std::string NamesText(const OptionDoc& option, bool shows_all) {
  std::vector<std::string> names = option.short_names;
  const size_t long_count = shows_all ? option.long_names.size() : 1;
  names.insert(names.end(), option.long_names.begin(), option.long_names.begin() + long_count);
  return fmt::format("{}{}", fmt::join(names, ", "), ValueText(option));
}

// `name`, and `help` from `help_column` on.
void AppendEntry(std::string_view name, std::string_view help, int help_column, int width,
                 std::string* text) {
  *text += fmt::format("{:{}}{}", "", kIndent, name);
  const int column = kIndent + static_cast<int>(name.size());
  const bool fits = column + 2 <= help_column;
  *text += fits ? fmt::format("{:{}}", "", help_column - column)
                : fmt::format("\n{:{}}", "", help_column);
  AppendParagraphs(help, help_column, width, text);
}

void AppendOption(const OptionDoc& option, bool shows_all, int width, std::string* text) {
  AppendEntry(NamesText(option, shows_all), option.FullHelp(), kHelpColumn, width, text);
}

void AppendCommonOptions(const CommandDoc& doc, int width, std::string* text) {
  *text += "\nCommon options:\n";
  for (const OptionDoc& option : doc.options) {
    if (option.is_common) AppendOption(option, /*shows_all=*/false, width, text);
  }
  AppendEntry("--help-all", fmt::format("All {} options", doc.options.size()), kHelpColumn, width,
              text);
}

void AppendAllOptions(const CommandDoc& doc, int width, std::string* text) {
  std::string_view group;
  for (const OptionDoc& option : doc.options) {
    if (option.group != group) *text += fmt::format("\n{}:\n", option.group);
    group = option.group;
    AppendOption(option, /*shows_all=*/true, width, text);
  }
}

}  // namespace

std::string HelpText(const CommandDoc& doc, bool shows_all, int width) {
  width = std::max(width, kHelpColumn + kLeastHelpWidth);
  std::string text = fmt::format("{}\nUsage: {} {}\n", doc.description, doc.name, doc.arguments);
  if (!doc.argument_help.empty()) {
    text += '\n';
    AppendEntry("FILE", doc.argument_help, kHelpColumn, width, &text);
  }
  if (!doc.commands.empty()) {
    text += "\nCommands:\n";
    for (const SubcommandDoc& command : doc.commands) {
      AppendEntry(command.name, command.description, kCommandColumn, width, &text);
    }
  }
  if (!doc.options.empty()) {
    shows_all ? AppendAllOptions(doc, width, &text) : AppendCommonOptions(doc, width, &text);
  }
  if (!doc.examples.empty()) text += fmt::format("\n{}\n", doc.examples);
  return text;
}

}  // namespace hlo::tools
