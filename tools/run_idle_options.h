// Options of hlo-run that would have no effect: they are refused, lest somebody rely on them.
#ifndef HLOKIT_TOOLS_RUN_IDLE_OPTIONS_H_
#define HLOKIT_TOOLS_RUN_IDLE_OPTIONS_H_

#include <optional>

#include "tools/command_line.h"
#include "tools/run_program.h"

namespace hlo::tools {

// Returns the exit code, after a message, when there is one among those given to `app`.
std::optional<int> RefuseIdleRunOptions(const CLI::App& app, const CommonOptions& common,
                                        const RunOptions& run);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_IDLE_OPTIONS_H_
