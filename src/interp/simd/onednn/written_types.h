// Whether a step's operands are what its instruction says.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_WRITTEN_TYPES_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_WRITTEN_TYPES_H_

#include "interp/plan/plan.h"
#include "ir/op_view.h"

namespace hlo::simd::onednn {

// Whether the operands have static sizes and the types they are written with. Where precisions are
// mixed they come in others.
inline bool HasWrittenTypes(const Plan& plan, const Step& step, const OpView& op) {
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const Slot& slot = plan.slot(step.operands[i]);
    const Shape& written = op.operand_shape(static_cast<int64_t>(i));
    if (slot.is_dynamic || slot.shape->element_type() != written.element_type()) return false;
  }
  return true;
}

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_WRITTEN_TYPES_H_
