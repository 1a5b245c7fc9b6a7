// Backends: who supplies the kernels. A backend is data, and the plan stores its choices.
#ifndef HLOKIT_INTERP_PLAN_BACKEND_H_
#define HLOKIT_INTERP_PLAN_BACKEND_H_

#include <string_view>

#include "interp/kernel/evaluation.h"

namespace hlo {

struct Plan;
struct Step;

struct Backend {
  std::string_view name;
  std::string_view description;  // one line, for lists
  // Puts steps of the plan together that one kernel does at once; null: it makes no such groups.
  void (*fuse)(Plan& plan);
  // The kernel for a step, null to mean the reference one; null: that for all steps.
  const Kernel* (*find_kernel)(const Plan& plan, const Step& step);
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_BACKEND_H_
