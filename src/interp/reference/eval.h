// The reference kernels: one function for each row of opcodes.def that is not kRouted.
#ifndef HLOKIT_INTERP_REFERENCE_EVAL_H_
#define HLOKIT_INTERP_REFERENCE_EVAL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "interp/kernel/evaluation.h"
#include "ir/opcode.h"

namespace hlo::reference {

#define HLO_OPCODE(Name, ...) absl::Status Eval##Name(Evaluation& e);
#include "ir/opcodes.def"

// What opcodes with the trait kPrepares prepare.
#define HLO_OPCODE(Name, ...) \
  absl::StatusOr<std::unique_ptr<KernelState>> Prepare##Name(Evaluation& e);
#include "ir/opcodes.def"

// The kernel of `opcode`, which is not one that only routes values.
const Kernel& FindKernel(Opcode opcode);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_EVAL_H_
