// Completion of the command line. The scripts hold the option table as it was when they were made.
#include <fmt/format.h>

#include <algorithm>

#include "tools/command_doc.h"

namespace hlo::tools {
namespace {

// A part of a function's name: "hlo_run".
std::string Identifier(std::string_view name) {
  std::string identifier(name);
  std::ranges::replace(identifier, '-', '_');
  return identifier;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string Replaced(std::string_view text, char from, std::string_view to) {
  std::string result;
  for (char c : text) c == from ? result.append(to) : result.append(1, c);
  return result;
}

// Inside '...' of bash and zsh.
std::string InQuotes(std::string_view text) { return Replaced(text, '\'', "'\\''"); }

// What lists the rules, where a value is one of them: their names are more than a script should
// hold. Words that all three shells read alike.
constexpr std::string_view kListRules = R"(hlo-verify --list-rules | grep -o "^[^ ]*[.][^ ]*")";

bool TakesRules(const OptionDoc& option) { return option.value_name.starts_with("RULE"); }

// --- bash

constexpr std::string_view kBashBegin = R"(# bash completion of {0}, made by `{0} --generate=bash`
_{1}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} values= is_value=
  # --option=value arrives as three words.
  if [[ $current == = ]]; then
    current= is_value=yes
  elif [[ $option == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}} is_value=yes
  fi
  case $option in
)";

constexpr std::string_view kBashEnd = R"(  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ -z $is_value && $current == -* ]]; then
    COMPREPLY=($(compgen -W '{0}' -- "$current"))
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  elif [[ $current == @* ]]; then
    COMPREPLY=($(compgen -P @ -f -- "${{current#@}}"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}} 2>/dev/null
complete -F _{1} {2}
)";

constexpr std::string_view kBashCommands =
    R"(# bash completion of {0}, made by `{0} --generate=bash`
_{0}() {{
  local tool=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{1} --help --version' -- "${{COMP_WORDS[1]}}"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}    *) return ;;
  esac
  declare -F "_${{tool//-/_}}" >/dev/null || source "${{BASH_SOURCE[0]%/*}}/$tool"
  COMP_WORDS=("$tool" "${{COMP_WORDS[@]:2}}")
  ((COMP_CWORD -= 1))
  "_${{tool//-/_}}"
}}
complete -F _{0} {0}
)";

constexpr std::string_view kBashRules = R"sh(    {0})
      COMPREPLY=($(compgen -W "$({1})" -- "${{COMP_WORDS[COMP_CWORD]}}"))
      return
      ;;
)sh";

std::string AllNames(const OptionDoc& option, std::string_view separator) {
  std::vector<std::string> names = option.short_names;
  names.insert(names.end(), option.long_names.begin(), option.long_names.end());
  return fmt::format("{}", fmt::join(names, separator));
}

std::string BashOptions(const CommandDoc& doc) {
  std::string words;
  for (const OptionDoc& option : doc.options) {
    for (const std::string& name : option.short_names) words += name + " ";
    const bool has_value = option.value == OptionDoc::Value::kRequired;
    for (const std::string& name : option.long_names) words += name + (has_value ? "= " : " ");
  }
  return words;
}

std::string BashValues(const OptionDoc& option) {
  if (TakesRules(option)) return fmt::format("$({})", kListRules);
  return fmt::format("'{}'", option.choices.empty() ? " " : option.ChoicesText(" "));
}

std::string BashCommands(const CommandDoc& doc) {
  std::string names;
  std::string cases;
  for (const SubcommandDoc& command : doc.commands) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    if (command.takes_rule) {
      cases += fmt::format(kBashRules, command.name, kListRules);
    } else {
      cases += fmt::format("    {}) tool={} ;;\n", command.name, command.tool);
    }
  }
  return fmt::format(kBashCommands, doc.name, names, cases);
}

// --- zsh

std::string ZshValues(const OptionDoc& option) {
  if (option.TakesFile()) return "_files";
  if (TakesRules(option)) return fmt::format("{{compadd -- $({})}}", kListRules);
  return option.choices.empty() ? " " : fmt::format("({})", option.ChoicesText(" "));
}

std::string ZshOption(const OptionDoc& option, const std::string& name) {
  std::string help = Replaced(FirstLine(option.help), '\\', "\\\\");
  help = Replaced(Replaced(help, '[', "\\["), ']', "\\]");
  const std::string values = ZshValues(option);
  const bool is_long = name.starts_with("--");
  std::string_view equals = is_long ? "=" : "+";
  std::string_view colon = ":";
  if (option.value == OptionDoc::Value::kNone) equals = "";
  if (option.value == OptionDoc::Value::kOptional) {
    equals = is_long ? "=-" : "-";
    colon = "::";
  }
  const std::string value = option.value == OptionDoc::Value::kNone
                                ? ""
                                : fmt::format("{}{}:{}", colon, option.value_name, values);
  return fmt::format("  '*{}{}[{}]{}' \\\n", name, equals, InQuotes(help), InQuotes(value));
}

std::string ZshCommands(const CommandDoc& doc) {
  std::string commands;
  std::string cases;
  for (const SubcommandDoc& command : doc.commands) {
    commands += fmt::format("    '{}:{}'\n", command.name, InQuotes(command.description));
    cases += command.takes_rule
                 ? fmt::format("  {}) compadd -- $({}); return ;;\n", command.name, kListRules)
                 : fmt::format("  {}) words[2]={} ;;\n", command.name, command.tool);
  }
  return fmt::format(
      "#compdef {0}\n# Made by `{0} --generate=zsh`.\nif ((CURRENT == 2)); then\n  local -a "
      "commands=(\n{1}  )\n  _describe command commands\n  return\nfi\ncase $words[2] in\n{2}  *) "
      "return 1 ;;\nesac\nshift words\n((CURRENT -= 1))\n_normal\n",
      doc.name, commands, cases);
}

// --- fish

std::string FishQuoted(std::string_view text) {
  return fmt::format("'{}'", Replaced(Replaced(text, '\\', "\\\\"), '\'', "\\'"));
}

std::string FishOption(const CommandDoc& doc, const OptionDoc& option) {
  std::string line = fmt::format("complete -c {}", doc.name);
  for (const std::string& name : option.short_names) line += " -s " + name.substr(1);
  for (const std::string& name : option.long_names) line += " -l " + name.substr(2);
  if (!option.choices.empty()) {
    line += fmt::format(" -x -a {}", FishQuoted(option.ChoicesText(" ")));
  } else if (TakesRules(option)) {
    line += fmt::format(" -x -a {}", FishQuoted(fmt::format("({})", kListRules)));
  } else if (option.value == OptionDoc::Value::kRequired) {
    line += option.TakesFile() ? " -r -F" : " -x";
  }
  return fmt::format("{} -d {}\n", line, FishQuoted(FirstLine(option.help)));
}

std::string FishCommands(const CommandDoc& doc) {
  std::string text;
  for (const SubcommandDoc& command : doc.commands) {
    text += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d {}\n", doc.name,
                        command.name, FishQuoted(command.description));
    const std::string values =
        command.takes_rule ? fmt::format("({})", kListRules)
                           : fmt::format("(complete -C \"{} \"(commandline -ct))", command.tool);
    text += fmt::format("complete -c {} {}-n '__fish_seen_subcommand_from {}' -a {}\n", doc.name,
                        command.takes_rule ? "-f " : "", command.name, FishQuoted(values));
  }
  return text;
}

}  // namespace

std::string BashCompletion(const CommandDoc& doc) {
  if (!doc.commands.empty()) return BashCommands(doc);
  const std::string function = Identifier(doc.name);
  std::string text = fmt::format(kBashBegin, doc.name, function);
  for (const OptionDoc& option : doc.options) {
    if (option.value == OptionDoc::Value::kNone || option.TakesFile()) continue;
    const bool needs_equals = option.value == OptionDoc::Value::kOptional;
    text += fmt::format("    {}) {}values={} ;;\n", AllNames(option, " | "),
                        needs_equals ? "[[ -n $is_value ]] && " : "", BashValues(option));
  }
  return text + fmt::format(kBashEnd, BashOptions(doc), function, doc.name);
}

std::string ZshCompletion(const CommandDoc& doc) {
  if (!doc.commands.empty()) return ZshCommands(doc);
  std::string text =
      fmt::format("#compdef {0}\n# Made by `{0} --generate=zsh`.\n_arguments -s -S \\\n", doc.name);
  for (const OptionDoc& option : doc.options) {
    for (const auto* names : {&option.short_names, &option.long_names}) {
      for (const std::string& name : *names) text += ZshOption(option, name);
    }
  }
  return text + "  '*:FILE:_files'\n";
}

std::string FishCompletion(const CommandDoc& doc) {
  std::string text =
      fmt::format("# fish completion of {0}, made by `{0} --generate=fish`\n", doc.name);
  if (!doc.commands.empty()) return text + FishCommands(doc);
  for (const OptionDoc& option : doc.options) text += FishOption(doc, option);
  return text;
}

}  // namespace hlo::tools
