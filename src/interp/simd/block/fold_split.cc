// What depends on accumulators is known by its buffers, which views share.
#include "interp/simd/block/fold_split.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace hlo::simd {

FoldSplit SplitFold(const Plan& plan, const Region& region, size_t accumulator_count) {
  const auto buffer_of = [&](SlotId slot) { return plan.slot(slot).buffer.value; };
  absl::flat_hash_set<size_t> waiting, wanted;  // buffers
  for (size_t k = 0; k < accumulator_count; ++k) waiting.insert(buffer_of(region.parameters[k]));
  FoldSplit split;
  for (const Step& step : region.steps) {
    const bool waits = std::ranges::any_of(
        step.operands, [&](SlotId slot) { return waiting.contains(buffer_of(slot)); });
    (waits ? split.rest : split.ahead).push_back(&step);
    if (!waits) continue;
    for (SlotId slot : step.results) waiting.insert(buffer_of(slot));
    for (SlotId slot : step.operands) wanted.insert(buffer_of(slot));
  }
  for (SlotId slot : region.results) wanted.insert(buffer_of(slot));
  for (const Step* step : split.ahead) {
    for (SlotId slot : step->results) {
      if (wanted.contains(buffer_of(slot))) split.made.push_back(slot);
    }
  }
  return split;
}

}  // namespace hlo::simd
