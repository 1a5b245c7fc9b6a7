// What steps of a plan read.
#ifndef HLOKIT_INTERP_SIMD_FUSE_STEP_READS_H_
#define HLOKIT_INTERP_SIMD_FUSE_STEP_READS_H_

#include "interp/plan/plan.h"

namespace hlo::simd {

// Calls visit(slot) for whatever `step` and its regions read.
template <typename Visit>
void ForEachRead(const Step& step, Visit&& visit);
template <typename Visit>
void ForEachRead(const Region& region, Visit&& visit) {
  for (const Step& step : region.steps) ForEachRead(step, visit);
  for (SlotId result : region.results) visit(result);
}
template <typename Visit>
void ForEachRead(const Step& step, Visit&& visit) {
  for (SlotId operand : step.operands) visit(operand);
  for (const Move& move : step.moves) visit(move.from);
  for (const auto& region : step.regions) ForEachRead(*region, visit);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_FUSE_STEP_READS_H_
