// reduce by functions that are elementwise instructions, of any number of arrays (argmax is one):
// many results at a time, each in the order of the definition.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_FUNCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/simd/block.h"

namespace hlo::simd {

class FunctionReduce final : public StepProgram {
 public:
  // Null when the function has other instructions, or there are too few results.
  static std::shared_ptr<const FunctionReduce> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return operands_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return ", many results at a time"; }

  absl::Status Run(Evaluation& e) const;

 private:
  class Tile;

  // What the function reads in place of an operand of its block.
  struct Source {
    enum class Kind : uint8_t { kAccumulator, kElement, kConstant };
    Kind kind;
    size_t number;  // of an array that is reduced, or of an operand of the step
  };

  size_t array_count_ = 0;
  int64_t result_count_ = 0;  // of each array
  std::vector<int64_t> element_sizes_;
  std::vector<SlotId> operands_;
  std::vector<Source> sources_;  // by operand of the block
  std::shared_ptr<const Block> block_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_FUNCTION_H_
