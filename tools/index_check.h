// Whether maps are exact, found out by running the instruction: an element of an operand is
// changed, and the elements of the result that change with it are those it reaches.
#ifndef HLOKIT_TOOLS_INDEX_CHECK_H_
#define HLOKIT_TOOLS_INDEX_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "indexing/op_maps.h"
#include "ir/module.h"

namespace hlo::tools {

struct CheckOptions {
  bool sound = true;
  uint32_t seed = 1;
  int64_t max_elements = 1 << 16;  // operands and results with more are not run
  int64_t max_samples = 24;        // elements looked at; all where there are no more
  // Sets of values that are tried for each element: what matters for some values only, such as the
  // side of a select that is not taken, is seen in one of them.
  int rounds = 1;
};

struct CheckResult {
  int64_t checked = 0;        // elements whose image was compared
  int64_t missed = 0;         // of them, those with a dependence that the map does not have
  int64_t overestimated = 0;  // those whose map has elements where no dependence was seen
  std::string example;        // of what was missed, or else of what was overestimated
};

// The maps from element `output` of the result to operand `operand`, or the other way round. Fails
// where the instruction cannot be run by itself, is too large, or its maps are unknown.
absl::StatusOr<CheckResult> CheckMaps(const Module& module, InstructionId id, bool to_input,
                                      int64_t output, int64_t operand, const CheckOptions& options);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_CHECK_H_
