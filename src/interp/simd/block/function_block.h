// Functions that are called per element as blocks over many calls at a time.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_BLOCK_H_
#define HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_BLOCK_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interp/simd/block/block.h"

namespace hlo::simd {

struct FunctionBlock {
  // What the block reads as an operand: a parameter of the function, by number, or what is the same
  // for all calls.
  struct Operand {
    int64_t parameter = -1;  // none
    SlotId constant;
  };

  std::shared_ptr<const Block> block;  // null: the function cannot be one
  std::vector<Operand> operands;
};

// Some steps of a function, in order, with what they take and give.
struct FunctionPart {
  explicit FunctionPart(const Region& region);
  FunctionPart(std::span<const Step* const> steps, std::span<const SlotId> parameters,
               std::span<const SlotId> results)
      : steps(steps.begin(), steps.end()), parameters(parameters), results(results) {}

  std::vector<const Step*> steps;
  std::span<const SlotId> parameters, results;
};

// A block for `count` calls of `part`, whose results are those of the block. `is_exact`: they are
// the reference kernels' bit for bit, of all opcodes.
FunctionBlock MakeFunctionBlock(const Plan& plan, const FunctionPart& part, int64_t count,
                                bool is_exact);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_BLOCK_H_
