// What tests of programs made with the builder share: their text, and their results on every
// backend.
#ifndef HLOKIT_TESTING_BUILT_PROGRAM_H_
#define HLOKIT_TESTING_BUILT_PROGRAM_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "builder/hlo_builder.h"
#include "builder/op.h"
#include "ir/literal.h"
#include "ir/module.h"

namespace hlo::testing {

// The module's computations in XLA's short form, without the module line and without layouts; or
// the error.
std::string ProgramText(const absl::StatusOr<Module>& module);

// The entry computation's instructions, one a line, in the short form; of its parameters only a
// root. Or the error.
std::string EntryText(const absl::StatusOr<Module>& module);

// "f32[2] {1, 2}", tuples in parentheses.
std::string LiteralText(const Literal& literal);

// Runs the module on every backend and demands one result, as LiteralText has it; or the error.
std::string ResultText(const absl::StatusOr<Module>& module,
                       std::span<const Literal> arguments = {});

// The rule of the builder's first error, or an empty string.
std::string FirstRule(const HloBuilder& builder);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_BUILT_PROGRAM_H_
