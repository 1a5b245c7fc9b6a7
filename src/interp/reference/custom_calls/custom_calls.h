// The custom-call targets that need no library (semantics.md 15.5).
#ifndef HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALLS_H_
#define HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALLS_H_

#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"

namespace hlo::reference {

// A row of the tables of targets. The kernels run with one operand and one result at least, and all
// results but the first hold zeros then. They prepare what they read in attributes, and count what
// they take of the scratch pool from shapes that nobody has checked.
struct CustomCall {
  std::string_view target;
  Kernel kernel;
};

inline const Kernel* FindIn(std::span<const CustomCall> calls, std::string_view target) {
  for (const CustomCall& call : calls) {
    if (call.target == target) return &call.kernel;
  }
  return nullptr;
}

// What `target` does, or null when it is none of the built-in targets.
const Kernel* FindCustomCall(std::string_view target);

// The same for the families that have files of their own: LAPACK and its kind, calls of neural
// network libraries, JAX's own; TopK and what selects in other ways; the borders of regions that
// are written for one partition each.
const Kernel* FindLapackCall(std::string_view target);
const Kernel* FindProductCall(std::string_view target);
const Kernel* FindLayerCall(std::string_view target);
const Kernel* FindConvolutionCall(std::string_view target);
const Kernel* FindJaxCall(std::string_view target);
const Kernel* FindTopKCall(std::string_view target);
const Kernel* FindPartialReduceCall(std::string_view target);
const Kernel* FindSpmdCall(std::string_view target);

// Whether results 0, 1 ... of `target` are operands 0, 1 ..., as long as their shapes are equal:
// markers (Sharding), and moves between memories.
bool IsIdentityCall(std::string_view target);

// Whether `target` calls a Python function of the process that made the program.
bool IsPythonCallback(std::string_view target);
// Whether the instruction is such a call without results: it is for its effects alone
// (jax.debug.print), and is skipped.
bool IsSkippedCallback(const Instruction& instruction);

// The integer that `key` has in a backend_config, which is JSON or an MLIR dictionary:
// `{"uplo": "76"}`, `{uplo = 76 : ui8}`; 1 and 0 for `true` and `false`.
std::optional<int64_t> ConfigInteger(std::string_view config, std::string_view key);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALLS_H_
