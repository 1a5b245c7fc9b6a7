// The options of hlo-run.
#ifndef HLOKIT_TOOLS_RUN_COMMAND_LINE_H_
#define HLOKIT_TOOLS_RUN_COMMAND_LINE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command_line.h"
#include "tools/run_program.h"

namespace hlo::tools {

// What the command line says, before Complete some of it as text.
struct RunCommandLine {
  CommonOptions common;
  RunOptions run;
  std::string fake = "random";
  std::string cast = "exact";
  std::string trace;
  std::string memory_form;
  std::string padding_value{EnumText(PaddingValue::kZero)};
  MemoryTextOptions memory;
  std::string max_print;
  std::vector<std::string> outputs;
  std::string upcast;
  bool list_backends = false;
};

void AddRunCommandLine(CLI::App& app, RunCommandLine* options);

// The options that --help shows.
std::span<const std::string_view> CommonRunOptions();

// What needs more than one option to be known. Returns the exit code when they do not go together.
std::optional<int> Complete(const CLI::App& app, RunCommandLine* options);

// Gives each of several --jobs its part of what is for all of them.
void ShareMachine(RunCommandLine* options);

// Says of XLA's flags that have no meaning here what has.
void NoteIgnoredFlags(const CLI::App& app, Session& session);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_COMMAND_LINE_H_
