// Manual pages. Source of the language: man(7), groff's an-old macros.
#include <fmt/format.h>

#include "tools/command_doc.h"

namespace hlo::tools {
namespace {

// Text that troff prints as it is: a backslash begins an escape, a bare `-` is a hyphen, which
// nobody can paste, and `.` or `'` at the start of a line a request.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    const bool is_line_start = escaped.empty() || escaped.back() == '\n';
    if (is_line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\'') {
      escaped += "\\(aq";
    } else if (c == '`') {
      escaped += "\\(ga";
    } else if (c == '^') {
      escaped += "\\(ha";
    } else if (c == '~') {
      escaped += "\\(ti";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Text whose line breaks stay.
std::string Lines(std::string_view text) {
  std::string lines;
  for (char c : Escaped(text)) c == '\n' ? lines.append("\n.br\n") : lines.append(1, c);
  return lines;
}

std::string Value(const OptionDoc& option) {
  const std::string value = option.ShowsChoices()
                                ? Escaped(option.ChoicesText("|"))
                                : fmt::format("\\fI{}\\fR", Escaped(option.value_name));
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

std::string Option(const OptionDoc& option) {
  std::string names;
  for (const auto* list : {&option.short_names, &option.long_names}) {
    for (const std::string& name : *list) {
      if (!names.empty()) names += ", ";
      names += fmt::format("\\fB{}\\fR", Escaped(name));
    }
  }
  return fmt::format(".TP\n{}{}\n{}\n", names, Value(option), Lines(option.FullHelp()));
}

std::string Options(const CommandDoc& doc) {
  std::string text = ".SH OPTIONS\n";
  std::string_view group;
  for (const OptionDoc& option : doc.options) {
    if (option.group != group) text += fmt::format(".SS {}\n", Escaped(option.group));
    group = option.group;
    text += Option(option);
  }
  return text;
}

std::string Commands(const CommandDoc& doc) {
  std::string text = ".SH COMMANDS\n";
  for (const SubcommandDoc& command : doc.commands) {
    text +=
        fmt::format(".TP\n\\fB{}\\fR\n{}\n", Escaped(command.name), Escaped(command.description));
  }
  return text;
}

// "Examples:" is the section's heading.
std::string Examples(std::string_view examples) {
  constexpr std::string_view kHeading = "Examples:\n";
  if (examples.starts_with(kHeading)) examples.remove_prefix(kHeading.size());
  return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", Escaped(examples));
}

std::string SeeAlso(const CommandDoc& doc) {
  std::vector<std::string_view> names = {"hlo"};
  for (const SubcommandDoc& command : Subcommands()) {
    if (!command.takes_rule) names.push_back(command.tool);
  }
  std::string others;
  for (std::string_view name : names) {
    if (name == doc.name) continue;
    others += fmt::format("{}\\fB{}\\fR(1)", others.empty() ? "" : ",\n", Escaped(name));
  }
  return ".SH SEE ALSO\n" + others + "\n";
}

// Lower case without the full stop, as the NAME section has it.
std::string ShortDescription(std::string_view description) {
  std::string text(description.substr(0, description.find_first_of(".:\n")));
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] += 'a' - 'A';
  return text;
}

}  // namespace

std::string ManPage(const CommandDoc& doc) {
  std::string text = fmt::format(
      ".TH {0} 1 \"\" \"hlokit {1}\" \"hlokit\"\n.SH NAME\n{0} \\- {2}\n.SH SYNOPSIS\n\\fB{0}\\fR "
      "{3}\n.SH DESCRIPTION\n{4}\n",
      Escaped(doc.name), HLOKIT_VERSION, Escaped(ShortDescription(doc.description)),
      Escaped(doc.arguments), Escaped(doc.description));
  if (!doc.argument_help.empty()) {
    text += fmt::format(".TP\n\\fIFILE\\fR\n{}\n", Escaped(doc.argument_help));
  }
  if (!doc.commands.empty()) text += Commands(doc);
  if (!doc.options.empty()) text += Options(doc);
  text +=
      ".SH EXIT STATUS\n.TP\n0\nAll is well.\n.TP\n1\nThe input was rejected, would change, or "
      "does "
      "not match.\n.TP\n2\nWrong usage, or files that cannot be read or written.\n";
  if (!doc.examples.empty()) text += Examples(doc.examples);
  return text + SeeAlso(doc);
}

}  // namespace hlo::tools
