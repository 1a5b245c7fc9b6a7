// scatter by functions of several instructions, or of several arrays' elements.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_SCATTER_FUNCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_SCATTER_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/simd/block/function_block.h"

namespace hlo::simd {

class FunctionScatter final : public StepProgram {
 public:
  static constexpr int64_t kMaxTile = 256;  // elements of each array that are combined at a time

  // Null when there is another kernel, or the function has other than elementwise instructions.
  static std::shared_ptr<const FunctionScatter> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return operands_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return ", many elements at a time"; }

  absl::Status Run(Evaluation& e) const;

 private:
  friend class ScatterTile;

  size_t array_count_ = 0;
  int64_t index_count_ = 0;
  bool has_rows_ = false;               // RowTargets has the windows
  std::vector<int64_t> element_sizes_;  // by array
  std::vector<SlotId> operands_;
  FunctionBlock function_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_SCATTER_FUNCTION_H_
