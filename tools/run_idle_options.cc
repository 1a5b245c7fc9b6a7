#include "tools/run_idle_options.h"

#include <fmt/format.h>

#include "interp/plan/backend.h"

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

// What only a backend with kernels of its own can heed.
std::optional<int> RefuseForBackend(const CLI::App& app, const RunOptions& run) {
  for (const std::string& name : {run.backend, run.reference_backend}) {
    if (!name.empty() && FindBackend(name)->find_kernel != nullptr) return std::nullopt;
  }
  for (const char* option : {"--isa", "--threads"}) {
    if (app.count(option) == 0) continue;
    return UsageError(app, fmt::format("{} has no effect with --backend={}", option, run.backend));
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> RefuseIdleRunOptions(const CLI::App& app, const RunOptions& run) {
  std::optional<int> exit_code = RefuseIdleOptions(app, kNeeds, kModes);
  if (!exit_code) exit_code = RefuseForBackend(app, run);
  return exit_code;
}

}  // namespace hlo::tools
