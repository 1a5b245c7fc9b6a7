// reduce over any dimensions, where the function is an opcode of which the order does not matter.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_REDUCE_H_
#define HLOKIT_INTERP_SIMD_REDUCE_REDUCE_H_

#include <array>
#include <memory>
#include <span>

#include "interp/kernel/evaluation.h"
#include "interp/kernel/function_form.h"
#include "interp/plan/plan.h"

namespace hlo::simd {

// The kernel of a reduce of static arrays by a function of `form`, or of a reduce-window of one
// with one result for all elements of the dimensions that have a window; null when there is none.
const Kernel* FindReduceKernel(const OpView& op, const FunctionForm& form);

// A reduce of a converted array that reads what is converted: the same type, or bf16 that is summed
// in f32.
class ConversionReduce final : public StepProgram {
 public:
  // `source` is what the first operand of `step` was converted from. Null where there is no kernel.
  static std::shared_ptr<const ConversionReduce> Make(const Plan& plan, const Step& step,
                                                      SlotId source);

  // In place of the step's.
  std::span<const SlotId> operands() const { return operands_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override { return scratch_byte_size_; }
  std::string Text() const override { return ", of what is converted"; }

 private:
  std::array<SlotId, 2> operands_;
  int64_t scratch_byte_size_ = 0;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_REDUCE_H_
