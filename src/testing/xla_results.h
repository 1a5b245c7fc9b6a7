// Our results beside those that XLA recorded (answers.jsonl, see the README there).
#ifndef HLOKIT_TESTING_XLA_RESULTS_H_
#define HLOKIT_TESTING_XLA_RESULTS_H_

#include <nlohmann/json.hpp>
#include <string>

#include "ir/literal.h"
#include "ir/module.h"

namespace hlo::testing {

// How `result` differs from a recorded result: a printed literal, a summary of one, or a list of
// the first array's numbers. Empty when they agree. Floats may be off by a few units of the
// narrowest type among them, measured against the values around as well: sums cancel, in the order
// of whoever adds.
std::string DifferenceFromResult(const Literal& result, const nlohmann::json& recorded);

// How the number of printed numbers alone differs: for results of random numbers, which promise no
// bits (semantics.md 12.5).
std::string DifferenceInSize(const Literal& result, const nlohmann::json& recorded);

// How `result` differs from a typed literal within the tolerances `abs` and `rel` beside it.
std::string DifferenceFromExpected(const Literal& result, const nlohmann::json& expected);

// Whether a module draws random numbers.
bool HasRandomNumbers(const Module& module);

// Whether tests may take long.
#ifdef NDEBUG
inline constexpr bool kIsOptimised = true;
#else
inline constexpr bool kIsOptimised = false;
#endif

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_XLA_RESULTS_H_
