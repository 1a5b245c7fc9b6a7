// A plan begins as settings and nothing else; the passes fill in the rest one after the
// other.
#include "interp/make_plan.h"

#include "interp/backends.h"

namespace hlo {

std::optional<Plan> MakePlan(const RunnableModule& runnable, DiagnosticSink& sink,
                             const PlanOptions& options) {
  Plan plan;
  plan.module = &runnable.module();
  plan.backend = options.backend != nullptr ? options.backend : &Backends().front();
  plan.has_frozen_arguments = options.freezes_arguments;
  plan.keeps_in_loops = options.keeps_in_loops;
  plan.lends_arguments = options.lends_arguments;
  plan.runs_once = options.runs_once;
  plan.library_use = options.library_use;
  const PassContext context = {sink, options.max_byte_size, options.fuses,
                               options.keeps_identity_calls};
  for (const PlanPass& pass : PlanPasses()) {
    if (!pass.run(plan, context)) return std::nullopt;
    plan.last_pass = &pass;
    if (&pass == options.last_pass) break;
  }
  return plan;
}

}  // namespace hlo
