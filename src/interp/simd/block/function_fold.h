// Functions of reduce and reduce-window that are elementwise instructions, of any number of arrays,
// as blocks over many results at a time.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_FOLD_H_
#define HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_FOLD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/block/block.h"
#include "interp/simd/block/repeated_calls.h"

namespace hlo::simd {

// accumulators = f(accumulators, elements).
class FunctionFold {
 public:
  static constexpr int64_t kMaxTile = 256;  // results
  static constexpr int64_t kMinTile = 16;   // results, but where there are fewer
  // One waits for each step of it as long as the reference kernel.
  static constexpr int64_t kMinResults = 2;

  // Of a step whose operands are arrays and then as many initial values. Nothing when the function
  // has other instructions, or is a single one and there are too few results.
  static std::optional<FunctionFold> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return operands_; }
  int64_t result_count() const { return result_count_; }
  // Results of a tile, where so many threads share out all of them: a tile for each at least.
  static int64_t TileSize(int64_t result_count, int64_t thread_count);
  int64_t TilesAtOnce() const;
  // The bytes that so many FoldTiles take.
  int64_t ScratchByteSize() const;

 private:
  friend class FoldTile;

  // What the function reads in place of an operand of its block.
  struct Source {
    enum class Kind : uint8_t { kAccumulator, kElement, kConstant };
    Kind kind;
    size_t number;  // of an array, or of an operand of the step
  };

  size_t array_count_ = 0;
  int64_t result_count_ = 0;  // of each array
  std::vector<int64_t> element_sizes_;
  std::vector<SlotId> operands_;
  std::vector<Source> sources_;         // by operand of the block
  bool has_calls_ = false;              // of few results
  std::shared_ptr<const Block> block_;  // over kMaxTile results, or all where these are few
};

// Where elements of some results lie: `offsets[i]` from a place they have in common.
struct FoldOffsets {
  explicit FoldOffsets(std::span<const int64_t> offsets);

  std::span<const int64_t> offsets;
  bool is_dense = true;  // side by side
};

// A fold at work on some neighbouring results, on one thread.
class FoldTile {
 public:
  FoldTile(const FunctionFold& fold, Evaluation& e);

  // Begins `count` results, kMaxTile at most, with the initial values.
  void Start(int64_t count);
  // Folds the element of each array at `place` + offset into each result.
  void Take(int64_t place, const FoldOffsets& offsets);
  // The same of those results whose byte is 1; the others stay as they are.
  void TakeSome(int64_t place, const FoldOffsets& offsets, std::span<const uint8_t> takes);
  // Writes them, the first of which is number `begin`.
  void Store(int64_t begin) const;

 private:
  // One for each array, of which there rarely are more than four.
  template <typename T, size_t kFew = 4>
  using List = absl::InlinedVector<T, kFew, ScratchAllocator<T>>;
  using Addresses = List<std::byte*>;

  int64_t SizeOf(size_t array) const { return fold_.element_sizes_[array]; }
  void MakeRoom();
  void MakeCalls();
  void PlaceArrays(size_t turn);
  void SetElements(size_t i, const std::byte* bytes) {
    if (calls_[turn_]) {
      calls_[turn_]->Move(i, bytes);
    } else {
      operands_[i].bytes = bytes;
    }
  }
  void Step();

  const FunctionFold& fold_;
  Evaluation& e_;
  int64_t count_ = 0;
  ScratchArray<std::byte> storage_;
  std::byte* registers_ = nullptr;
  Addresses accumulators_[2];
  // Of few results: from the first set to the second, and back.
  std::optional<Block::RepeatedCalls> calls_[2];
  Addresses elements_;
  size_t turn_ = 0;  // the set that holds the accumulators now
  List<ArrayRef, 12> operands_;
  List<MutableArrayRef> results_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_FOLD_H_
