// Runs a module on several participants in one call.
#ifndef HLOKIT_TESTING_RUN_PARTICIPANTS_H_
#define HLOKIT_TESTING_RUN_PARTICIPANTS_H_

#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/kernel/device.h"
#include "interp/make_plan.h"
#include "ir/device_groups.h"
#include "ir/literal.h"
#include "ir/module.h"

namespace hlo::testing {

// Everybody's result, by participant. `arguments` are by participant too; one list is everybody's.
absl::StatusOr<std::vector<Literal>> RunOnParticipants(
    const Module& module, const DeviceCounts& counts,
    std::span<const std::vector<Literal>> arguments,
    const std::function<void(DeviceContext&)>& prepare = {}, const PlanOptions& options = {});

// The same with the participants spread over several processes, which are threads here. What fails
// is said as the first process says it.
absl::StatusOr<std::vector<Literal>> RunOnProcesses(const Module& module,
                                                    const DeviceCounts& counts,
                                                    std::span<const std::vector<Literal>> arguments,
                                                    int64_t process_count);

// One or the other for a text, without arguments; no process count: all are in this process.
absl::StatusOr<std::vector<Literal>> RunTextOnParticipants(std::string text,
                                                           const DeviceCounts& counts,
                                                           int64_t process_count = 0);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_RUN_PARTICIPANTS_H_
