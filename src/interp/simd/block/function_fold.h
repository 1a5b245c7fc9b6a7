// Functions of reduce and reduce-window that are elementwise instructions, of any number of arrays,
// as blocks over many results at a time.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_FOLD_H_
#define HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_FOLD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/block/fold_offsets.h"
#include "interp/simd/block/function_block.h"
#include "interp/simd/block/repeated_calls.h"

namespace hlo::simd {

// accumulators = f(accumulators, elements).
class FunctionFold {
 public:
  static constexpr int64_t kMaxTile = 256;  // results
  static constexpr int64_t kMinTile = 16;   // results, but where there are fewer

  // Of a step whose operands are arrays and then as many initial values. Nothing when the function
  // has other instructions, or there are too few results for what it is. `has_lines`: elements come
  // by FoldTile::TakeLine.
  static std::optional<FunctionFold> Make(const Plan& plan, const Step& step, bool has_lines);

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

  // Places of a line whose elements are brought together at a time.
  static constexpr int64_t kMaxLine = 32;
  // The bytes that the elements of `array` take that one tile takes next.
  int64_t ElementsByteSize(size_t array) const {
    return kMaxLine * kMaxTile * element_sizes_[array];
  }
  int64_t TileByteSize() const;
  int64_t array_count() const { return std::ssize(element_sizes_); }
  bool MakeAhead(const Plan& plan, const Region& region);

  int64_t result_count_ = 0;            // of each array
  std::vector<int64_t> element_sizes_;  // by array
  std::vector<size_t> read_arrays_;     // whose elements the function reads
  std::vector<SlotId> operands_;
  bool has_calls_ = false;  // of few results
  FunctionBlock function_;  // over kMaxTile results, or all where these are few
  // Of few results: what is made of kMaxTile elements alone, whose parameters these are, and what
  // `function_` takes behind its own.
  FunctionBlock ahead_;
  std::vector<ElementType> made_types_;
};

// A fold at work on some neighbouring results, on one thread.
class FoldTile {
 public:
  FoldTile(const FunctionFold& fold, Evaluation& e);

  // Begins `count` results, kMaxTile at most, with the initial values.
  void Start(int64_t count);
  // Folds the element of each array at `place` + offset into each result.
  void Take(int64_t place, const FoldOffsets& offsets);
  // One after the other those at `count` places, each so far behind the one before.
  void TakeLine(int64_t place, int64_t stride, int64_t count, const FoldOffsets& offsets);
  // The same of those results whose byte is 1; the others stay as they are.
  void TakeSome(int64_t place, const FoldOffsets& offsets, std::span<const uint8_t> takes);
  // Writes them, the first of which is number `begin`.
  void Store(int64_t begin) const;
  // Takes a line as TakeLine does, and after each of its places writes the results, as they are
  // then, to that place + offset.
  void MakeLine(int64_t place, int64_t stride, int64_t count, const FoldOffsets& offsets);

 private:
  // One for each array, of which there rarely are more than four.
  template <typename T, size_t kFew = 4>
  using List = absl::InlinedVector<T, kFew, ScratchAllocator<T>>;

  size_t array_count() const { return static_cast<size_t>(fold_.array_count()); }
  int64_t SizeOf(size_t array) const { return fold_.element_sizes_[array]; }
  void MakeRoom();
  void MakeCalls(std::byte* registers);
  // Calls read(array, size, bytes) for the arrays that are read, with the bytes at `place`; it
  // returns where the elements of all results are.
  template <typename Read>
  void ReadElements(int64_t place, const Read& read);
  void RepeatCalls(int64_t place, int64_t stride, int64_t count, const FoldOffsets& offsets);
  // Calls stepped(i) behind each step over elements of kMaxLine places at most, side by side.
  template <typename Stepped>
  void StepAlong(int64_t place, int64_t count, const FoldOffsets& offsets, const Stepped& stepped);
  void MakePiece(int64_t place, int64_t count, const FoldOffsets& offsets);
  // So many steps, whose elements follow those of the one before.
  void RepeatCallsAlong(int64_t count);
  void Step();
  // What moves from step to step: bytes of an element of a parameter, 0 of accumulators.
  int64_t MovingSize(int64_t parameter) const;

  const FunctionFold& fold_;
  Evaluation& e_;
  int64_t count_ = 0;
  ScratchArray<std::byte> storage_;
  size_t turn_ = 0;  // the set that holds the accumulators now, which the next step reads
  List<MutableArrayRef> accumulators_[2];
  List<std::byte*> elements_;                              // where they are brought together
  List<const std::byte*, 8> arguments_;                    // by parameter
  std::optional<FunctionCalls> calls_;                     // or, of few results,
  std::optional<Block::RepeatedCalls> repeated_calls_[2];  // from each set to the other
  std::optional<FunctionCalls> ahead_calls_;
  List<MutableArrayRef> made_;
};

// A step that is such a fold.
class FoldProgram : public StepProgram {
 public:
  explicit FoldProgram(FunctionFold fold) : fold_(std::move(fold)) {}

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return fold_.operands(); }
  std::string Text() const override {
    return fold_.result_count() == 1 ? ", step by step" : ", many results at a time";
  }

 protected:
  FunctionFold fold_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_FUNCTION_FOLD_H_
