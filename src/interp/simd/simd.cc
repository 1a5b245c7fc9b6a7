// Null is always a right answer: the reference kernel takes whatever is dynamic, out of reach, or
// comes in other types than it is written with. So the functions that find a kernel for an opcode
// need not ask for this.
#include "interp/simd/simd.h"

#include "interp/plan/plan.h"
#include "interp/simd/base/reach.h"
#include "interp/simd/convolution/convolution.h"
#include "interp/simd/linalg/batch_norm.h"
#include "interp/simd/linalg/cholesky.h"
#include "interp/simd/linalg/fft.h"
#include "interp/simd/linalg/lapack_batch.h"
#include "interp/simd/linalg/triangular_solve.h"
#include "interp/simd/movement/data_movement.h"
#include "interp/simd/movement/dynamic_slice.h"
#include "interp/simd/movement/gather.h"
#include "interp/simd/movement/iota.h"
#include "interp/simd/movement/pad.h"
#include "interp/simd/movement/scatter.h"
#include "interp/simd/movement/transpose.h"
#include "interp/simd/product/dot.h"
#include "interp/simd/product/ragged_dot.h"
#include "interp/simd/product/scaled_dot.h"
#include "interp/simd/random/random_bits.h"
#include "interp/simd/random/random_numbers.h"
#include "interp/simd/reduce/reduce.h"
#include "interp/simd/reduce/reduce_extreme.h"
#include "interp/simd/reduce/reduce_window.h"
#include "interp/simd/reduce/select_and_scatter.h"
#include "interp/simd/sort/sort.h"
#include "interp/simd/sort/topk.h"

namespace hlo::simd {

const Kernel* FindKernel(const Plan& plan, const Step& step) {
  if (!IsWithinReach(plan, step)) return nullptr;
  const OpView op(*plan.module, plan.instruction(step));
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const Slot& slot = plan.slot(step.operands[i]);
    if (slot.is_dynamic) return nullptr;
    // Where precisions are mixed, operands come in other types than they are written.
    const bool is_operand = step.operands.size() == static_cast<size_t>(op.operand_count());
    const auto number = static_cast<int64_t>(i);
    if (is_operand && op.operand_shape(number).IsArray() &&
        op.operand_shape(number).element_type() != slot.shape->element_type()) {
      return nullptr;
    }
  }
  switch (step.opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return FindBatchNormKernel(op);
    case Opcode::kBitcast:
      return FindBitcastKernel(op);
    case Opcode::kBitcastConvert:
      return FindBitcastConvertKernel(op);
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kReverse:
    case Opcode::kSlice:
      return FindDataMovementKernel(op);
    case Opcode::kCholesky:
      return FindCholeskyKernel(op);
    case Opcode::kCustomCall:
      if (const Kernel* kernel = FindLapackBatchKernel(op)) return kernel;
      return FindTopKCallKernel(plan, step);
    case Opcode::kDot:
      return FindDotKernel(op);
    case Opcode::kConvolution:
      return FindConvolutionKernel(op);
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
      return FindDynamicSliceKernel(op);
    case Opcode::kFft:
      return FindFftKernel(op);
    case Opcode::kGather:
      return FindGatherKernel(op);
    case Opcode::kIota:
      return FindIotaKernel(op);
    case Opcode::kPad:
      return FindPadKernel(op);
    case Opcode::kRaggedDot:
      return FindRaggedDotKernel(op);
    case Opcode::kReduce:
      if (const Kernel* kernel = FindExtremeKernel(op, step.regions[0]->form)) return kernel;
      return FindReduceKernel(op, step.regions[0]->form);
    case Opcode::kReduceWindow:
      return FindReduceWindowKernel(op, step.regions[0]->form);
    case Opcode::kRng:
      return FindRandomNumbersKernel(op);
    case Opcode::kRngBitGenerator:
      return FindRandomBitsKernel(op);
    case Opcode::kScaledDot:
      return FindScaledDotKernel(op);
    case Opcode::kScatter:
      return FindScatterKernel(op, step.regions[0]->form);
    case Opcode::kSelectAndScatter:
      return FindSelectAndScatterKernel(op, step.regions[0]->form, step.regions[1]->form);
    case Opcode::kSort:
      return FindSortKernel(op, step.regions[0]->form);
    case Opcode::kTopK:
      return FindTopKKernel(op);
    case Opcode::kTranspose:
      return FindTransposeKernel(op);
    case Opcode::kTriangularSolve:
      return FindTriangularSolveKernel(op);
    default:  // one of many: what is not here is the reference kernel's
      return nullptr;
  }
}

}  // namespace hlo::simd
