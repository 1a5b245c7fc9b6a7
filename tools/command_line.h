// The options all tools take. Includes CLI11, which is slow to compile: for the mains only.
#ifndef HLOKIT_TOOLS_COMMAND_LINE_H_
#define HLOKIT_TOOLS_COMMAND_LINE_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "parser/spelling.h"
#include "support/render_diagnostic.h"
#include "tools/tool.h"

namespace hlo::tools {

// The check that a value is one of `names`, a range of anything a string is made of.
template <typename Names>
CLI::IsMember IsOneOf(const Names& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

// The check that a count or size has no sign: CLI11 reads -1 as the largest unsigned number.
inline std::string SignError(const std::string& text) {
  return text.find('-') == std::string::npos ? "" : fmt::format("{} is below 0", text);
}

// The options of `CommonOptions`, `--version` and `--help`.
inline void AddCommonOptions(CLI::App& app, CommonOptions* options) {
  app.set_version_flag("--version", VersionText(app.get_name()));
  app.add_option("FILE", options->inputs,
                 "Files, directories (searched for HLO files), @LIST (a file of names), or - for "
                 "stdin; .gz is unpacked");
  app.add_flag("--split-input-file", options->split_input_file,
               "Take the parts of a file between lines `// -----` as modules of their own");
  app.add_option("--diagnostics", options->diagnostics, "How diagnostics are written to stderr")
      ->check(IsOneOf(DiagnosticFormatNames()))
      ->capture_default_str();
  app.add_option("--color", options->color, "Colored output")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_option("--max-input-size", options->max_input_size, "Refuse inputs with more bytes")
      ->check(SignError)
      ->capture_default_str();
  app.add_option("--max-errors", options->max_errors, "Errors shown of a text (50); 0: all")
      ->check(SignError);
  app.add_option("--max-warnings", options->max_warnings,
                 "Warnings shown of a text, and notes (50); 0: all")
      ->check(SignError);
  app.add_flag("-q,--quiet", options->quiet, "Report errors only");
  app.add_flag("-v,--verbose", options->verbosity, "Say more; repeat for still more");
}

// ": did you mean `--input`?" for the first word that is no option, or nothing.
inline std::string OptionSuggestion(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  for (const std::string& word : app.remaining()) {
    if (!word.starts_with('-')) continue;
    return DidYouMean(std::string_view(word).substr(0, word.find('=')), candidates);
  }
  return "";
}

// Parses the command line. Returns the exit code when the program is to end now: help, version,
// wrong usage.
inline std::optional<int> ParseCommandLine(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return kExitFine;
    }
    fmt::print(stderr, "{}: {}{}\nRun with --help for more information.\n", app.get_name(),
               error.what(), OptionSuggestion(app));
    return kExitEnvironment;
  }
  return std::nullopt;
}

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_COMMAND_LINE_H_
