// Runs a module on several participants in one call.
#ifndef HLOKIT_TESTING_RUN_PARTICIPANTS_H_
#define HLOKIT_TESTING_RUN_PARTICIPANTS_H_

#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/kernel/device.h"
#include "ir/device_groups.h"
#include "ir/literal.h"
#include "ir/module.h"

namespace hlo::testing {

// Everybody's result, by participant. `arguments` are by participant too; one list is everybody's.
absl::StatusOr<std::vector<Literal>> RunOnParticipants(
    const Module& module, const DeviceCounts& counts,
    std::span<const std::vector<Literal>> arguments,
    const std::function<void(DeviceContext&)>& prepare = {});

// The same for a text, without arguments.
absl::StatusOr<std::vector<Literal>> RunTextOnParticipants(std::string text,
                                                           const DeviceCounts& counts);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_RUN_PARTICIPANTS_H_
