// A module that was verified: what planner and kernels rely on holds. Plans are made of nothing
// else.
#ifndef HLOKIT_INTERP_PLAN_RUNNABLE_MODULE_H_
#define HLOKIT_INTERP_PLAN_RUNNABLE_MODULE_H_

#include <optional>

#include "ir/device_groups.h"
#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

class RunnableModule {
 public:
  // Verifies `module` as hlo-verify does when nothing is asked of it, so float types may be mixed;
  // an unbounded dimension is an error besides, and comments that allow findings (suppression.h)
  // are not heeded. Errors are reported, warnings too if `has_warnings`; nothing is returned when
  // there is an error. `module` must stay where it is; of what it holds only the elements of
  // constants may change afterwards. `devices` run it, where the module does not say how many.
  static std::optional<RunnableModule> Verify(const Module& module, DiagnosticSink& sink,
                                              bool has_warnings = false,
                                              const DeviceCounts& devices = {});

  const Module& module() const { return *module_; }

 private:
  explicit RunnableModule(const Module& module) : module_(&module) {}

  const Module* module_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_RUNNABLE_MODULE_H_
