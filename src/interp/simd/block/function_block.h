// Functions that are called per element as blocks over many calls at a time.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_BLOCK_H_
#define HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_BLOCK_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/block/block.h"

namespace hlo::simd {

// A function that a step calls.
struct FunctionBlock {
  // What the block reads as an operand: a parameter of the function, by number, or an operand of
  // the step, which is the same for all calls.
  struct Source {
    int64_t parameter = -1;  // none
    size_t operand = 0;
  };

  bool Reads(size_t parameter) const;

  std::shared_ptr<const Block> block;  // null: the function cannot be one
  std::vector<Source> sources;
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
// the reference kernels' bit for bit, of all opcodes. `operands`: of the step; the function's
// constants are put behind them.
FunctionBlock MakeFunctionBlock(const Plan& plan, const FunctionPart& part, int64_t count,
                                bool is_exact, std::vector<SlotId>& operands);

// Whether programs that call functions as blocks may take the step: an instruction of this opcode
// that no other kernel takes, with so many functions, of arrays whose sizes are known.
bool CallsFunctions(const Plan& plan, const Step& step, Opcode opcode, size_t function_count);
// Whether each has the type of the other of the same number.
bool HaveTypesOf(const Plan& plan, std::span<const SlotId> slots, std::span<const SlotId> others);
// Whether the function takes two elements of each of `arrays`, first one of all and then the other,
// and makes one.
bool CombinesElementsOf(const Plan& plan, const Region& region, std::span<const SlotId> arrays);

// A function at work, on one thread.
class FunctionCalls {
 public:
  // `registers`: register_byte_size() bytes, aligned to 64.
  FunctionCalls(const FunctionBlock& function, Evaluation& e, std::byte* registers);

  // `arguments`: where those of the first of `count` calls lie, by parameter.
  void Run(int64_t count, std::span<const std::byte* const> arguments,
           std::span<const MutableArrayRef> results);

 private:
  const FunctionBlock& function_;
  absl::InlinedVector<ArrayRef, 8, ScratchAllocator<ArrayRef>> operands_;
  std::byte* registers_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_BLOCK_H_
