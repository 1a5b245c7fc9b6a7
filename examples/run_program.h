// Runs a module and gives its result.
#ifndef HLOKIT_EXAMPLES_RUN_PROGRAM_H_
#define HLOKIT_EXAMPLES_RUN_PROGRAM_H_

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/literal.h"
#include "ir/module.h"

// Fails where the module cannot run, or the arguments are not of its parameters' shapes.
absl::StatusOr<hlo::Literal> RunProgram(const hlo::Module& module,
                                        std::span<const hlo::Literal> arguments = {});

// An f32 array from its elements in row-major order, as many as the sizes multiply to.
hlo::Literal FloatArray(std::vector<int64_t> sizes, const std::vector<float>& elements);

#endif  // HLOKIT_EXAMPLES_RUN_PROGRAM_H_
