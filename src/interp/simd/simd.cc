#include "interp/simd/simd.h"

#include "interp/plan/plan.h"
#include "interp/simd/convolution.h"
#include "interp/simd/dot.h"

namespace hlo::simd {

const Kernel* FindKernel(const Plan& plan, const Step& step) {
  const OpView op(*plan.module, plan.instruction(step));
  for (SlotId operand : step.operands) {
    if (plan.slot(operand).is_dynamic) return nullptr;
  }
  switch (step.opcode) {
    case Opcode::kDot:
      return FindDotKernel(op);
    case Opcode::kConvolution:
      return FindConvolutionKernel(op);
    default:  // one of many: what is not here is the reference kernel's
      return nullptr;
  }
}

}  // namespace hlo::simd
