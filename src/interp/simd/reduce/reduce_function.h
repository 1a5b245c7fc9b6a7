// reduce by functions that are elementwise instructions, of any number of arrays (argmax is one):
// many results at a time, each in the order of the definition.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_REDUCE_FUNCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_REDUCE_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "interp/simd/block/function_fold.h"

namespace hlo::simd {

class FunctionReduce final : public StepProgram {
 public:
  explicit FunctionReduce(FunctionFold fold) : fold_(std::move(fold)) {}
  // Null when there is another kernel, the function has other instructions, or there are too few
  // results.
  static std::shared_ptr<const FunctionReduce> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return fold_.operands(); }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return ", many results at a time"; }

  absl::Status Run(Evaluation& e) const;

 private:
  FunctionFold fold_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_REDUCE_FUNCTION_H_
