// The cost of a plan's steps: that of their instructions, as far as these have not become one.
#ifndef HLOKIT_INTERP_COST_STEP_COST_H_
#define HLOKIT_INTERP_COST_STEP_COST_H_

#include <cstdint>
#include <optional>

#include "interp/cost/cost.h"
#include "interp/plan/plan.h"

namespace hlo {

// One execution of `step`, of a finished plan, without its regions. What several instructions pass
// to each other inside of a step is not moved. A loop costs what it copies at its begin, and in
// each iteration CostOfIteration.
Cost CostOf(const Plan& plan, const Step& step);

// What an iteration of `loop` copies besides its body's steps.
Cost CostOfIteration(const Plan& plan, const Step& loop);

// How often the body of `loop` runs: what the text says (`known_trip_count` in the loop's
// backend_config), else what its counter says.
std::optional<int64_t> TripCount(const Plan& plan, const Step& loop);

}  // namespace hlo

#endif  // HLOKIT_INTERP_COST_STEP_COST_H_
