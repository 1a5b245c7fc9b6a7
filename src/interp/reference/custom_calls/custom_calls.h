// The custom-call targets that need no library (semantics.md 15.5).
#ifndef HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALLS_H_
#define HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALLS_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"

namespace hlo::reference {

// What `target` does, or null when it is none of the built-in targets.
RunKernel FindCustomCall(std::string_view target);

// The same for the families that have files of their own: LAPACK and its kind, calls of neural
// network libraries, JAX's own.
RunKernel FindLapackCall(std::string_view target);
RunKernel FindProductCall(std::string_view target);
RunKernel FindLayerCall(std::string_view target);
RunKernel FindConvolutionCall(std::string_view target);
RunKernel FindJaxCall(std::string_view target);

// Whether `target` calls a Python function of the process that made the program.
bool IsPythonCallback(std::string_view target);
// Whether the instruction is such a call without results: it is for its effects alone
// (jax.debug.print), and is skipped.
bool IsSkippedCallback(const Instruction& instruction);

// (values, indices) of the first K elements of each line in the order of the called comparator.
absl::Status TopKByComparator(Evaluation& e);

// (arrays..., initial values...) -> for each array the first elements of its lines along
// `reduction_dim`, as many as the result holds, in the order of the called comparator.
absl::Status PartialReduce(Evaluation& e);

// The borders of regions that are written for one partition each (spmd_calls.cc).
absl::Status FullToShardShape(Evaluation& e);
absl::Status ShardToFullShape(Evaluation& e);

// The integer that `key` has in a backend_config, which is JSON or an MLIR dictionary:
// `{"uplo": "76"}`, `{uplo = 76 : ui8}`; 1 and 0 for `true` and `false`.
std::optional<int64_t> ConfigInteger(std::string_view config, std::string_view key);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALLS_H_
