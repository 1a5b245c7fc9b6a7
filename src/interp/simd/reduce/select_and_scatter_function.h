// select-and-scatter by functions that are elementwise instructions, or ignore what they get: many
// windows at a time.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_SELECT_AND_SCATTER_FUNCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_SELECT_AND_SCATTER_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/simd/block/function_block.h"

namespace hlo::simd {

class FunctionSelectAndScatter final : public StepProgram {
 public:
  // Null when there is another kernel, the functions have other instructions, or there are holes
  // between elements.
  static std::shared_ptr<const FunctionSelectAndScatter> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the functions' constants.
  std::span<const SlotId> operands() const { return operands_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return ", many windows at a time"; }

  absl::Status Run(Evaluation& e) const;

 private:
  friend class FunctionSelection;

  std::vector<SlotId> operands_;
  FunctionBlock select_, scatter_;
  bool overwrites_ = false;
  int64_t element_size_ = 0;
  size_t dimension_count_ = 0;  // that have a window
  int64_t outer_count_ = 1;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_SELECT_AND_SCATTER_FUNCTION_H_
