// What a tool's option table says, for people and shells: help, manual page, completions.
#ifndef HLOKIT_TOOLS_COMMAND_DOC_H_
#define HLOKIT_TOOLS_COMMAND_DOC_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hlo::tools {

struct OptionDoc {
  enum class Value { kNone, kOptional, kRequired };

  std::string ChoicesText(std::string_view separator) const;
  // Whether the choices are few enough to stand in the place of the value: `--color=auto|always`.
  bool ShowsChoices() const;
  // Whether the value can name a file, for shells.
  bool TakesFile() const;
  // What it does, with the choices that do not stand there, and the default.
  std::string FullHelp() const;

  std::vector<std::string> short_names;  // "-q"
  std::vector<std::string> long_names;   // "--quiet"; at least one
  Value value = Value::kNone;
  std::string value_name;            // "TEXT"
  std::vector<std::string> choices;  // the values there are; empty: any
  std::string help;                  // of lines that may be wrapped
  std::string default_text;          // empty: none
  std::string group;
  bool is_common = false;  // among those that --help shows
};

// `hlo run` is the program hlo-run.
struct SubcommandDoc {
  std::string_view name;
  std::string_view tool;
  std::string_view description;
  bool takes_rule = false;  // its argument is a rule, not what the tool takes
};

struct CommandDoc {
  std::string name;
  std::string description;
  std::string arguments;  // "[FILE...]"
  std::string argument_help = {};
  std::vector<OptionDoc> options = {};  // those of a group stand together
  std::string examples = {};            // "Examples:\n  ...", and what is to be said besides
  std::vector<SubcommandDoc> commands = {};
};

// For a terminal of `width` columns: the common options, or all of them in their groups.
std::string HelpText(const CommandDoc& doc, bool shows_all, int width);

// In the language of man(7).
std::string ManPage(const CommandDoc& doc);

// Scripts for completion in these shells.
std::string BashCompletion(const CommandDoc& doc);
std::string ZshCompletion(const CommandDoc& doc);
std::string FishCompletion(const CommandDoc& doc);

// What --generate makes: "man", "bash", "zsh", "fish"; nothing for other kinds.
std::optional<std::string> GenerateDocument(const CommandDoc& doc, std::string_view kind);

// What `hlo` can do: the list of the tools.
std::span<const SubcommandDoc> Subcommands();

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_COMMAND_DOC_H_
