// Comparators of sorts that are elementwise instructions: many pairs of elements at a time.
#ifndef HLOKIT_INTERP_SIMD_COMPARATOR_H_
#define HLOKIT_INTERP_SIMD_COMPARATOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/function_block.h"

namespace hlo::simd {

// The function of a sort as a block. Of a pair the later element is the function's parameter 2k,
// the earlier one 2k + 1: so the answer is whether the later one has to come first.
class Comparator {
 public:
  static constexpr int64_t kMaxPairs = 640;

  // Nothing where a block cannot give the function's own answers.
  static std::optional<Comparator> Make(const Plan& plan, const Step& step);

  // An operand of the step whose elements it reads, and the type in which it does.
  struct Array {
    size_t operand;
    ElementType type;
  };

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return operands_; }
  std::span<const Array> arrays() const { return arrays_; }

 private:
  friend class Comparison;

  // What the function reads as an operand of its block.
  struct Source {
    enum class Kind : uint8_t { kLater, kEarlier, kConstant };
    Kind kind;
    size_t number;  // among `arrays`, or of an operand of the step
  };
  void AddSource(const FunctionBlock::Operand& operand, const Plan& plan, const Region& region);

  std::vector<SlotId> operands_;
  std::vector<Array> arrays_;
  std::vector<Source> sources_;  // by operand of the block
  std::shared_ptr<const Block> block_;
};

// A comparator at work, on one thread.
class Comparison {
 public:
  template <typename T>
  using List = absl::InlinedVector<T, 4, ScratchAllocator<T>>;
  using Addresses = List<const std::byte*>;

  Comparison(const Comparator& comparator, Evaluation& e);

  static int64_t ScratchByteSize(const Comparator& comparator);

  // Compares `count` pairs, kMaxPairs at most: `later` and `earlier` say where their elements
  // begin, by array. `answers` takes bytes 0 and 1.
  void Run(std::span<const std::byte* const> later, std::span<const std::byte* const> earlier,
           int64_t count, uint8_t* answers);

 private:
  ScratchArray<std::byte> registers_;
  List<ArrayRef> operands_;
  MutableArrayRef result_;
  const Comparator& comparator_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_COMPARATOR_H_
