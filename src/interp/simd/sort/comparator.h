// Comparators of sorts that are elementwise instructions: many pairs of elements at a time.
#ifndef HLOKIT_INTERP_SIMD_SORT_COMPARATOR_H_
#define HLOKIT_INTERP_SIMD_SORT_COMPARATOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/block/function_block.h"

namespace hlo::simd {

// The function of a sort as a block. Of a pair the later element is the function's parameter 2k,
// the earlier one 2k + 1: so the answer is whether the later one has to come first. Keys
// (comparator_split.h), if there are any, are made of each element by a block of their own.
class Comparator {
 public:
  static constexpr int64_t kMaxPairs = 640;

  // Nothing where a block cannot give the function's own answers.
  static std::optional<Comparator> Make(const Plan& plan, const Step& step);

  static constexpr size_t kNoOperand = SIZE_MAX;
  // What it reads of elements: an operand of the step in some type, or a key.
  struct Array {
    size_t operand = kNoOperand;
    ElementType type;
    size_t key = 0;  // its number, if this is no operand
  };

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return operands_; }
  std::span<const Array> arrays() const { return arrays_; }
  bool has_keys() const { return key_block_ != nullptr; }
  // What keys are made of: operands of the step, and constants, which have no type here.
  struct KeySource {
    size_t operand;
    std::optional<ElementType> type;
  };
  std::span<const KeySource> key_sources() const { return key_sources_; }

 private:
  friend class Comparison;
  friend class ElementKeys;

  // What the function reads as an operand of its block.
  struct Source {
    enum class Kind : uint8_t { kLater, kEarlier, kConstant };
    Kind kind;
    size_t number;  // among `arrays`, or of an operand of the step
  };
  // `types`: of what is read of both elements, operands and then keys.
  void AddSource(const FunctionBlock::Source& source, size_t operand_count,
                 std::span<const ElementType> types);
  void AddKeySource(const FunctionBlock::Source& source, std::span<const ElementType> types);

  std::vector<SlotId> operands_;
  std::vector<Array> arrays_;
  std::vector<Source> sources_;  // by operand of the block
  std::shared_ptr<const Block> block_;
  std::vector<KeySource> key_sources_;  // by operand of the block of keys
  std::vector<ElementType> key_types_;
  std::shared_ptr<const Block> key_block_;
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

// The keys of elements in the making, on one thread.
class ElementKeys {
 public:
  ElementKeys(const Comparator& comparator, Evaluation& e);

  static int64_t ScratchByteSize(const Comparator& comparator);

  // Where elements of a key source belong, kMaxPairs at most.
  std::byte* elements(size_t source) { return elements_[source]; }
  // Where its key of the first element goes.
  void SetKey(size_t key, std::byte* to) { keys_[key].bytes = to; }
  void Run(int64_t count);

 private:
  static int64_t ElementsByteSize(const Comparator::KeySource& source);

  ScratchArray<std::byte> storage_;
  Comparison::List<std::byte*> elements_;
  Comparison::List<ArrayRef> operands_;
  Comparison::List<MutableArrayRef> keys_;
  std::byte* registers_;
  const Block& block_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_COMPARATOR_H_
