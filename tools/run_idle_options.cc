// Where names of options decide there is a row in a table, where values do (--jobs, --backend) a
// function. Only the first one found is told.
#include "tools/run_idle_options.h"
#include "interp/backends.h"

#include <fmt/format.h>

namespace hlo::tools {
namespace {

const OptionNeed kNeeds[] = {{"--padded-dimensions", {"--print-memory"}},
                             {"--padding-value", {"--padded-dimensions"}},
                             {"--repro-out", {"--first-nan"}},
                             {"--only-participants", {"--only"}},
                             {"--only-size", {"--only"}},
                             {"--upcast", {"--output"}},
                             {"--ulp", {"--expect", "--reference_backend"}},
                             {"--atol", {"--expect", "--reference_backend"}},
                             {"--rtol", {"--expect", "--reference_backend"}},
                             {"--max-report", {"--expect", "--reference_backend"}}};
using Refuses = OptionMode::Refuses;
const OptionMode kModes[] = {
    {"--list-backends", Refuses::kAllBut, {}},
    {"--estimate",
     Refuses::kThese,
     {"--print-plan", "--input", "--inputs", "--output", "--expect", "--reference_backend",
      "--repeat", "--time-limit", "--outfeed", "--to-host", "--print_literals", "--print-memory",
      "--repro-out", "--trace", "--first-nan", "--dump", "--profile", "--profile-out"}},
    {"--print-plan",
     Refuses::kThese,
     {"--output", "--expect", "--reference_backend", "--repeat", "--time-limit", "--outfeed",
      "--to-host", "--print_literals", "--print-memory", "--repro-out", "--profile",
      "--profile-out"}}};

// Programs that run in processes of their own share no file and no document.
std::optional<int> RefuseForJobs(const CLI::App& app, const CommonOptions& common,
                                 const RunOptions& run) {
  if (common.jobs <= 1) return std::nullopt;
  for (const char* option :
       {"--output", "--outfeed", "--to-host", "--dump", "--repro-out", "--profile-out"}) {
    if (app.count(option) == 0) continue;
    if (std::string_view(option) == "--output" && run.outputs.empty()) continue;  // json, text
    return UsageError(app, fmt::format("{} names one place: not with several --jobs", option));
  }
  const std::optional<DiagnosticFormat> format = ParseDiagnosticFormat(common.diagnostics);
  if (format && IsStructured(*format)) {
    return UsageError(app, fmt::format("--diagnostics={} is one document: not with several --jobs",
                                       common.diagnostics));
  }
  if (run.devices.transport == "threads") return std::nullopt;
  return UsageError(app, fmt::format("--transport={} joins processes: not with several --jobs",
                                     run.devices.transport));
}

// What only a backend with kernels of its own can heed.
std::optional<int> RefuseForBackend(const CLI::App& app, const RunOptions& run) {
  for (const std::string& name : {run.backend, run.reference_backend}) {
    if (!name.empty() && FindBackend(name)->find_kernel != nullptr) return std::nullopt;
  }
  for (const char* option : {"--isa", "--onednn", "--threads"}) {
    if (app.count(option) == 0) continue;
    return UsageError(app, fmt::format("{} has no effect with --backend={}", option, run.backend));
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> RefuseIdleRunOptions(const CLI::App& app, const CommonOptions& common,
                                        const RunOptions& run) {
  std::optional<int> exit_code = RefuseIdleOptions(app, kNeeds, kModes);
  if (!exit_code) exit_code = RefuseForJobs(app, common, run);
  if (!exit_code) exit_code = RefuseForBackend(app, run);
  return exit_code;
}

}  // namespace hlo::tools
