// The list of passes is the one place that knows their order.
#include "interp/plan/passes.h"

#include <algorithm>

namespace hlo {
namespace {

constexpr PlanPass kPasses[] = {
    {"expand", "calls, fusions and tuples dissolved; loops and branches as steps with regions",
     ExpandModule},
    {"recognise", "what functions called per element amount to, and how often loops run",
     Recognise},
    {"views", "steps that change no byte are gone; every array has a buffer", MakeViews},
    {"hoist", "what loops compute in every iteration alike comes before them", HoistSteps},
    {"deduplicate", "what is computed twice of the same arrays is computed once", DeduplicateSteps},
    {"keep", "products prepared once for a loop that leaves an operand as it is", KeepOperands},
    {"fuse", "steps the backend puts together", FuseSteps},
    {"parts", "slices and operands of concatenations lie in larger arrays", MakeParts},
    {"choose-kernels", "the kernel of every step", ChooseKernels},
    {"liveness", "from which step to which each buffer is in use", FindLifetimes},
    {"share", "buffers in the same memory, and the moves that remain", ShareBuffers},
    {"place", "offsets in the arena", PlaceBuffers},
};

}  // namespace

std::span<const PlanPass> PlanPasses() { return kPasses; }

const PlanPass* FindPlanPass(std::string_view name) {
  const PlanPass* pass = std::ranges::find(kPasses, name, &PlanPass::name);
  return pass == std::end(kPasses) ? nullptr : pass;
}

}  // namespace hlo
