// The options all tools take, and what reading a command line comes to. Includes CLI11, which is
// slow to compile: for the mains only.
#ifndef HLOKIT_TOOLS_COMMAND_LINE_H_
#define HLOKIT_TOOLS_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tool.h"

namespace hlo::tools {

// The check that a value is one of `names`, a range of anything a string is made of.
template <typename Names>
CLI::IsMember IsOneOf(const Names& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

// The check that a count or size has no sign: CLI11 reads -1 as the largest unsigned number.
std::string SignError(const std::string& text);

// Options that are added from now on stand below this heading in the help text.
void StartGroup(CLI::App& app, const std::string& heading);

// The options of `CommonOptions`, `--version` and `--help`.
void AddCommonOptions(CLI::App& app, CommonOptions* options);
// For tools that work on several inputs at a time; `more` says what else the option does.
void AddJobsOption(CLI::App& app, CommonOptions* options,
                   std::string_view more = "; default: one for each processor");

// Parses the command line. Returns the exit code when the program is to end now: help, version,
// wrong usage, no arguments though nothing is piped in. `common_options` are those that --help
// shows; --help-all shows all.
std::optional<int> ParseCommandLine(CLI::App& app, int argc, char** argv,
                                    std::span<const std::string_view> common_options);

// An option that says something about others: alone it would be without effect.
struct OptionNeed {
  const char* option;
  std::vector<const char*> one_of;
};
// An option under which the tool does something else than usual. Without effect beside it are
// the options named, or all but these; those of the group kGeneralOptions never are.
struct OptionMode {
  enum class Refuses { kThese, kAllBut };
  const char* option;
  Refuses refuses;
  std::vector<const char*> options;
};
inline constexpr const char* kGeneralOptions = "General";

// Returns the exit code, after a message, when an option was given that has no effect.
std::optional<int> RefuseIdleOptions(const CLI::App& app, std::span<const OptionNeed> needs,
                                     std::span<const OptionMode> modes);

// "tool: message" and how to get help. Returns the exit code of wrong usage.
int UsageError(const CLI::App& app, std::string_view message);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_COMMAND_LINE_H_
