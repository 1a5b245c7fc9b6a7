// Steps in loops run often, and so do all where the plan is for several runs. Dots that read their
// operands through other instructions have a program of our own by then, which is replaced.
#include "interp/simd/onednn/onednn.h"

#include "interp/simd/onednn/convolution.h"
#include "interp/simd/onednn/dot.h"
#include "interp/simd/onednn/library.h"

namespace hlo::simd::onednn {
namespace {

void VisitRegion(const Plan& plan, Region& region, bool repeats, PlanCaches& caches) {
  for (Step& step : region.steps) {
    if (step.opcode == Opcode::kDot) {
      auto program = MakeDotProgram(plan, step, repeats, caches.products);
      if (program != nullptr) step.program = std::move(program);
    }
    if (step.program != nullptr) continue;  // other kernels have it, regions included
    step.program = MakeConvolutionProgram(plan, step, repeats, caches);
    for (const auto& nested : step.regions) {
      if (nested->role == Region::Role::kFunction) continue;
      VisitRegion(plan, *nested, repeats || step.kind == StepKind::kWhile, caches);
    }
  }
}

}  // namespace

void LeaveToLibrary(Plan& plan) {
  if (plan.library_use == LibraryUse::kNever) return;
  PlanCaches caches;
  VisitRegion(plan, *plan.entry, !plan.runs_once, caches);
}

bool IsThere() { return FindLibrary() != nullptr; }

}  // namespace hlo::simd::onednn
