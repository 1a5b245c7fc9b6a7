// Parses, checks, plans and runs a module in one call.
#ifndef HLOKIT_TESTING_RUN_MODULE_H_
#define HLOKIT_TESTING_RUN_MODULE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/arguments.h"
#include "interp/kernel/device.h"
#include "interp/make_plan.h"
#include "ir/literal.h"
#include "ir/module.h"

namespace hlo::testing {

// HLOKIT_ISA=avx2 in the environment makes tests use that instruction set, not the best there is:
// whether it is there.
bool IsInstructionSetThere();

// The first diagnostic of a failed stage becomes the status, with its line and rule.
absl::StatusOr<Module> ParseText(std::string name, std::string text);
// Verifies and plans, for the reference backend where `options` names none: tests judge the
// definition, and others by it. Errors are in `sink`. `module` must outlive the plan.
std::optional<Plan> PlanModule(const Module& module, DiagnosticSink& sink,
                               const PlanOptions& options = {});
absl::StatusOr<Literal> RunModule(const Module& module, std::span<const Literal> arguments);
// The same on a device that has been prepared, and on the backend called so; empty: the reference.
absl::StatusOr<Literal> RunModule(const Module& module, std::span<const Literal> arguments,
                                  DeviceContext& device, std::string_view backend = {});
absl::StatusOr<Literal> RunModule(const Module& module, std::span<const Literal> arguments,
                                  DeviceContext& device, const PlanOptions& options);

// A shape such as "f32[2,3]". The text must be right.
Shape MakeShape(std::string_view text);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_RUN_MODULE_H_
