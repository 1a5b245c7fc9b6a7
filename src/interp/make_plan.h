// From a verified module to a plan: all passes, or those up to one.
#ifndef HLOKIT_INTERP_MAKE_PLAN_H_
#define HLOKIT_INTERP_MAKE_PLAN_H_

#include <cstdint>
#include <optional>

#include "interp/plan/passes.h"
#include "interp/plan/plan.h"
#include "interp/plan/runnable_module.h"
#include "support/diagnostic.h"

namespace hlo {

struct PlanOptions {
  const Backend* backend = nullptr;     // null: the default one
  int64_t max_byte_size = INT64_MAX;    // of the plan itself, not of what a run takes
  const PlanPass* last_pass = nullptr;  // the plan is finished up to this one; null: to the end
  bool fuses = true;  // false: every step stays a single instruction, for looking at them
  // All runs of an executor get the same arguments: kernels may keep what they make of them.
  bool freezes_arguments = false;
  // Kernels may keep what they make of arrays that a loop leaves as they are while it runs, up to
  // 1 GiB. False: memory is short.
  bool keeps_in_loops = true;
  // Executor::Result may refer to arguments instead of copying them.
  bool lends_arguments = false;
  // No executor runs the plan a second time: what only many runs pay for is left undone.
  bool runs_once = false;
  LibraryUse library_use = LibraryUse::kWhereFaster;
  // Custom calls that are the identity (Sharding ...) stay steps: the device may have functions of
  // its own for them. False: they are gone, and nobody asks the device.
  bool keeps_identity_calls = false;
};

// Plans a verified module. What cannot run all the same (sizes beyond 64 bits, more than the limits
// of `options`) is reported; then nothing is returned. The module must outlive the plan.
std::optional<Plan> MakePlan(const RunnableModule& module, DiagnosticSink& sink,
                             const PlanOptions& options = {});

}  // namespace hlo

#endif  // HLOKIT_INTERP_MAKE_PLAN_H_
