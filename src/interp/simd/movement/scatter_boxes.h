// scatter of windows of any form: boxes of the operand.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_BOXES_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_BOXES_H_

#include "interp/kernel/evaluation.h"
#include "interp/simd/movement/scatter_runs.h"

namespace hlo::simd {

// Sets a result of a scatter to its operand.
absl::Status CopyScatterOperand(Evaluation& e, size_t array);

// Combines a result, which is the operand's copy, with all windows that lie inside. The state is
// what PrepareBoxes makes.
absl::Status CombineBoxes(Evaluation& e, size_t array, const CombineRun& combine);
absl::Status CombineBoxes(Evaluation& e, size_t array, const OverwriteRun& combine);

absl::StatusOr<std::unique_ptr<KernelState>> PrepareBoxes(Evaluation& e);
// The bytes that CombineBoxes takes.
int64_t BoxesScratchByteSize(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_BOXES_H_
