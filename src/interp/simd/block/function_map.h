// map by functions of elementwise instructions.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_MAP_H_
#define HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_MAP_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/simd/block/function_block.h"

namespace hlo::simd {

class FunctionMap final : public StepProgram {
 public:
  // Null when the function has other instructions.
  static std::shared_ptr<const FunctionMap> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return operands_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return ", many elements at a time"; }

  absl::Status Run(Evaluation& e) const;

 private:
  static constexpr int64_t kMaxTile = 256;             // elements
  static constexpr int64_t kPartSize = 64 * kMaxTile;  // elements that are worth a part

  void RunPart(Evaluation& e, int64_t begin, int64_t end) const;

  int64_t count_ = 0;
  int64_t result_size_ = 0;             // bytes of an element
  std::vector<int64_t> operand_sizes_;  // the same
  std::vector<SlotId> operands_;
  FunctionBlock function_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_MAP_H_
