// reduce-window by functions that are elementwise instructions, of any number of arrays, and by
// opcodes that round at every step, such as products: many results at a time, each in the order of
// the definition.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_WINDOW_FUNCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_WINDOW_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "interp/simd/block/function_fold.h"

namespace hlo::simd {

class FunctionWindows final : public StepProgram {
 public:
  FunctionWindows(FunctionFold fold, size_t dimension_count)
      : fold_(std::move(fold)), dimension_count_(dimension_count) {}
  // Null when there is another kernel, the function has other instructions, or there are too few
  // results.
  static std::shared_ptr<const FunctionWindows> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return fold_.operands(); }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return ", many results at a time"; }

  absl::Status Run(Evaluation& e) const;

 private:
  FunctionFold fold_;
  size_t dimension_count_;  // that have a window
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_WINDOW_FUNCTION_H_
