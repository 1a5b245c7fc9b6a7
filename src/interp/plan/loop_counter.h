// What counters say of loops.
#ifndef HLOKIT_INTERP_PLAN_LOOP_COUNTER_H_
#define HLOKIT_INTERP_PLAN_LOOP_COUNTER_H_

#include <cstdint>
#include <optional>

#include "interp/plan/plan.h"

namespace hlo {

// How often the body of `loop`, a step of an expanded plan, runs: exactly, told without running it.
// Its condition compares an integer of the loop's state with a constant; that integer begins as a
// constant, and the body adds a constant to it. Nothing for other loops, and for those that would
// not end before the integer leaves its type.
std::optional<int64_t> CountTrips(const Plan& plan, const Step& loop);

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_LOOP_COUNTER_H_
