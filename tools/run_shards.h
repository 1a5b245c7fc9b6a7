// --shard-inputs and --unshard-outputs: whole values in and out of programs whose participants have
// tiles of them.
#ifndef HLOKIT_TOOLS_RUN_SHARDS_H_
#define HLOKIT_TOOLS_RUN_SHARDS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/replica/participant_range.h"
#include "ir/device_groups.h"
#include "support/diagnostic.h"
#include "tools/run_inputs.h"

namespace hlo::tools {

// The inputs of the participants `local`, each with its tiles of what is given. What does not fit
// is reported at the parameter; files that cannot be read are a status.
absl::StatusOr<std::optional<ParticipantInputs>> MakeCutInputs(const Module& module,
                                                               InputOptions options,
                                                               const DeviceCounts& counts,
                                                               const ParticipantRange& local,
                                                               DiagnosticSink& sink);

// The whole result of each replica, of everybody's `results` by participant; nothing when they do
// not fit together, which is reported at the result.
std::optional<std::vector<Literal>> JoinResults(const Module& module,
                                                std::span<const Literal> results,
                                                const DeviceCounts& counts, DiagnosticSink& sink);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_SHARDS_H_
