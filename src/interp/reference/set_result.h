// Results whose sizes are only known at run time (semantics.md 13), and results that are an
// operand again.
#ifndef HLOKIT_INTERP_REFERENCE_SET_RESULT_H_
#define HLOKIT_INTERP_REFERENCE_SET_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"

namespace hlo::reference {

// Gives result leaf `i` the sizes `dims`, if it does not have them already.
absl::Status EnsureResultDims(Evaluation& e, size_t i, std::span<const int64_t> dims);

// Makes result leaf `i` the array `from`, sizes included, in the result's element type: bits do
// not change unless the types differ.
absl::Status SetResult(Evaluation& e, const ArrayRef& from, size_t i);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SET_RESULT_H_
