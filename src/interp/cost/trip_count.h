// How often the body of a loop runs, where that can be told without running it.
#ifndef HLOKIT_INTERP_COST_TRIP_COUNT_H_
#define HLOKIT_INTERP_COST_TRIP_COUNT_H_

#include <cstdint>
#include <optional>

#include "interp/plan/plan.h"

namespace hlo {

// What the text says (`known_trip_count` in the loop's backend_config), else what counters say: an
// integer of the loop's state that begins as a constant, that the body adds a constant to, and that
// the condition compares with a constant. Nothing for other loops, and for those that would not end
// before the counter wraps around.
std::optional<int64_t> TripCount(const Plan& plan, const Step& loop);

}  // namespace hlo

#endif  // HLOKIT_INTERP_COST_TRIP_COUNT_H_
