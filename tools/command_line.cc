// CLI11 parses, but does not print: options become data (OptionDoc), of which help, manual page and
// completions are made. It tells of an option's value in one text such as `TEXT:{a,b}`, so the name
// and the choices are read out of that, and only checks of this form have choices.
#include "tools/command_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "parser/spelling.h"
#include "support/check.h"
#include "support/render_diagnostic.h"
#include "tools/command_doc.h"

namespace hlo::tools {
namespace {

constexpr const char* kGenerate = "--generate";

// ": did you mean `--input`?" for the first word that is no option, or nothing.
std::string OptionSuggestion(const CLI::App& app) {
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

std::vector<std::string> WithDashes(const std::vector<std::string>& names,
                                    std::string_view dashes) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(std::string(dashes) + name);
  return result;
}

OptionDoc::Value ValueOf(const CLI::Option& option) {
  if (option.get_items_expected_max() > 0) {
    return option.get_expected_min() == 0 ? OptionDoc::Value::kOptional
                                          : OptionDoc::Value::kRequired;
  }
  // A flag stands for "true" unless it may be given another text.
  const bool is_plain = option.get_flag_value(option.get_lnames().front(), "") == "true";
  return is_plain ? OptionDoc::Value::kNone : OptionDoc::Value::kOptional;
}

// CLI11 describes a value as "TYPE:CHECK ...", where IsMember's check is "{a,b}".
std::vector<std::string> ChoicesIn(std::string_view type) {
  std::vector<std::string> choices;
  const size_t begin = type.find('{');
  const size_t end = type.find('}');
  if (begin == std::string_view::npos || end == std::string_view::npos) return choices;
  std::string_view list = type.substr(begin + 1, end - begin - 1);
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    choices.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return choices;
}

std::string ValueName(std::string_view type) {
  const std::string_view name = type.substr(0, type.find_first_of(": "));
  if (name == "INT" || name == "UINT") return "N";
  if (name == "FLOAT") return "X";
  return name.empty() ? "TEXT" : std::string(name);
}

OptionDoc Describe(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return {.short_names = WithDashes(option.get_snames(), "-"),
          .long_names = WithDashes(option.get_lnames(), "--"),
          .value = ValueOf(option),
          .value_name = ValueName(type),
          .choices = ChoicesIn(type),
          .help = option.get_description(),
          .default_text = option.get_default_str(),
          .group = option.get_group()};
}

CommandDoc Describe(const CLI::App& app, std::span<const std::string_view> common_options) {
  CommandDoc doc{.name = app.get_name(),
                 .description = app.get_description(),
                 .arguments = "[OPTION...] [FILE...]",
                 .examples = app.get_footer()};
  for (const std::string& group : app.get_groups()) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional()) {
        doc.argument_help = option->get_description();
      } else if (option->get_group() == group && !group.empty()) {
        doc.options.push_back(Describe(*option));
      }
    }
  }
  for (std::string_view name : common_options) {
    const auto found = std::ranges::find_if(doc.options, [&](const OptionDoc& option) {
      return std::ranges::count(option.long_names, name) > 0;
    });
    HLO_CHECK(found != doc.options.end());
    found->is_common = true;
  }
  return doc;
}

int TerminalWidth() {
  constexpr int kDefault = 80;
  constexpr int kMost = 110;
  struct winsize size = {};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::min<int>(size.ws_col, kMost) : kDefault;
}

// What is given on the command line, and the names given.
struct GivenOptions {
  const CLI::App& app;

  bool Has(const char* option) const { return app.count(option) > 0; }

  bool IsGeneral(const CLI::Option& option) const { return option.get_group() == kGeneralOptions; }

  // The first option that was given and that `mode` refuses; null when there is none.
  const CLI::Option* RefusedBy(const OptionMode& mode) const {
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0 || IsGeneral(*option) || IsNamed(*option, {mode.option})) continue;
      const bool is_named = IsNamed(*option, mode.options);
      if (is_named == (mode.refuses == OptionMode::Refuses::kThese)) return option;
    }
    return nullptr;
  }

  static bool IsNamed(const CLI::Option& option, const std::vector<const char*>& names) {
    return std::ranges::any_of(names, [&](const char* name) { return option.check_name(name); });
  }
};

// "--output", or what a positional is called.
std::string NameOf(const CLI::Option& option) { return option.get_name(option.get_positional()); }

}  // namespace

std::string SignError(const std::string& text) {
  return text.find('-') == std::string::npos ? "" : fmt::format("{} is below 0", text);
}

void StartGroup(CLI::App& app, const std::string& heading) {
  app.option_defaults()->group(heading);
}

void AddCommonOptions(CLI::App& app, CommonOptions* options) {
  StartGroup(app, "Files");
  app.add_option("FILE", options->inputs,
                 "Files, directories (searched for HLO files), @LIST (a file of names), or - for "
                 "stdin; .gz is unpacked");
  app.add_flag("--split-input-file", options->split_input_file,
               "Take the parts of a file between lines `// -----` as modules of their own");
  app.add_option("--max-input-size", options->max_input_size, "Refuse inputs with more bytes")
      ->check(SignError)
      ->capture_default_str();
  StartGroup(app, kGeneralOptions);
  app.set_help_flag("-h,--help", "The common options")->group(kGeneralOptions);
  app.set_help_all_flag("--help-all", "All options")->group(kGeneralOptions);
  app.set_version_flag("--version", "", "The version and how it was built")->group(kGeneralOptions);
  app.add_option("--diagnostics", options->diagnostics, "How diagnostics are written to stderr")
      ->check(IsOneOf(DiagnosticFormatNames()))
      ->capture_default_str();
  app.add_option("--color", options->color, "Colored output")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_option("--progress", options->progress,
                 "Whether work of more than two seconds says on stderr how far it is; auto: on a "
                 "terminal")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_option("--max-errors", options->max_errors, "Errors shown of a text (50); 0: all")
      ->check(SignError);
  app.add_option("--max-warnings", options->max_warnings,
                 "Warnings shown of a text, and notes (50); 0: all")
      ->check(SignError);
  app.add_flag("-q,--quiet", options->quiet, "Report errors only");
  app.add_flag("-v,--verbose", options->verbosity, "Say more; repeat for still more");
}

void AddJobsOption(CLI::App& app, CommonOptions* options, std::string_view more) {
  app.add_option("-j,--jobs", options->jobs, "Files worked on at a time" + std::string(more))
      ->check(CLI::Range(int64_t{1}, int64_t{1024}))
      ->group("Files");
}

std::optional<int> ParseCommandLine(CLI::App& app, int argc, char** argv,
                                    std::span<const std::string_view> common_options) {
  const std::string& name = app.get_name();
  // For the build, which makes manual pages and completions of it: not in the help text.
  std::string document;
  app.add_option(kGenerate, document)->group("");
  const auto help = [&](bool shows_all) {
    return HelpText(Describe(app, common_options), shows_all, TerminalWidth());
  };
  if (argc <= 1 && isatty(STDIN_FILENO) != 0) {
    fmt::print(stderr, "{}", help(/*shows_all=*/false));
    return kExitEnvironment;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForAllHelp&) {
    return PrintToStdout(name, help(/*shows_all=*/true));
  } catch (const CLI::CallForHelp&) {
    return PrintToStdout(name, help(/*shows_all=*/false));
  } catch (const CLI::CallForVersion&) {
    return PrintToStdout(name, VersionText(name) + "\n");
  } catch (const CLI::ParseError& error) {
    return UsageError(app, error.what() + OptionSuggestion(app));
  }
  if (app.count(kGenerate) == 0) return std::nullopt;
  const std::optional<std::string> text = GenerateDocument(Describe(app, common_options), document);
  if (text) return PrintToStdout(name, *text);
  return UsageError(app, fmt::format("{} makes no `{}`", kGenerate, document));
}

std::optional<int> RefuseIdleOptions(const CLI::App& app, std::span<const OptionNeed> needs,
                                     std::span<const OptionMode> modes) {
  const GivenOptions given{app};
  for (const OptionNeed& need : needs) {
    if (!given.Has(need.option)) continue;
    if (std::ranges::any_of(need.one_of, [&](const char* name) { return given.Has(name); })) {
      continue;
    }
    return UsageError(app, fmt::format("{} is given only together with {}", need.option,
                                       fmt::join(need.one_of, " or ")));
  }
  for (const OptionMode& mode : modes) {
    if (!given.Has(mode.option)) continue;
    if (const CLI::Option* refused = given.RefusedBy(mode)) {
      return UsageError(app,
                        fmt::format("{} has no effect with {}", NameOf(*refused), mode.option));
    }
  }
  return std::nullopt;
}

int UsageError(const CLI::App& app, std::string_view message) {
  fmt::print(stderr, "{}: {}\nRun with --help for more information.\n", app.get_name(), message);
  return kExitEnvironment;
}

}  // namespace hlo::tools
