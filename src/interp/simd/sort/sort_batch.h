// Lines that are sorted together by a comparator.
#ifndef HLOKIT_INTERP_SIMD_SORT_SORT_BATCH_H_
#define HLOKIT_INTERP_SIMD_SORT_SORT_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/reference/sort_lines.h"
#include "interp/simd/sort/comparator.h"
#include "interp/simd/sort/merge_rounds.h"
#include "interp/simd/sort/merge_tree.h"

namespace hlo::simd {

class SortBatch {
 public:
  // Of `line_count` lines at most, of less than 2^32 elements together. `has_places`: there are
  // operands that the comparator does not read as they are.
  SortBatch(const Comparator& comparator, Evaluation& e, const reference::Lines& lines,
            int64_t line_count, bool has_places);

  // Of `count` elements.
  static int64_t ScratchByteSize(const Comparator& comparator, bool has_places, int64_t count);

  // Sorts some lines of all operands.
  absl::Status Sort(int64_t first_line, int64_t line_count);

 private:
  // Elements by line, in one of two places.
  struct Array {
    size_t operand;  // or kPlaces, or that of a key
    ElementType type;
    size_t key;
    int64_t element_size;
    ScratchArray<std::byte> bytes[2];
  };
  template <typename T>
  using List = Comparison::List<T>;
  static constexpr size_t kPlaces = SIZE_MAX - 1;
  static_assert(kPlaces != Comparator::kNoOperand);
  static constexpr ElementType kPlaceType = ElementType::kU32;

  void AddArray(const Comparator::Array& array, int64_t line_count);
  // Which place elements are in when the nodes of `depth` are in order. Leaves, the deepest, come
  // from place 0.
  int TurnAt(int depth) const { return (tree_.depth() - depth + 1) % 2; }
  List<MergedArray> ArraysAt(int turn) const;

  // Calls visit(line, begin, count) for what elements [begin, end) of the batch are of each line.
  template <typename Visit>
  void ForEachLine(int64_t begin, int64_t end, Visit&& visit) const {
    while (begin < end) {
      const int64_t line = begin / lines_.length;
      const int64_t count = std::min(end, (line + 1) * lines_.length) - begin;
      visit(line, begin, count);
      begin += count;
    }
  }
  // Where element `i` of the batch, of `line`, is in an operand.
  int64_t OffsetOf(int64_t line, int64_t i) const {
    return BaseOf(line) + (i - line * lines_.length) * lines_.stride;
  }
  int64_t BaseOf(int64_t line) const {
    const int64_t number = first_line_ + line;
    return number / lines_.stride * lines_.length * lines_.stride + number % lines_.stride;
  }

  // Elements [begin, end): from operands, from one place to the other in the order that was found,
  // to results.
  void Load(int64_t begin, int64_t end);
  void LoadPlaces(Array& array, int64_t begin, int64_t end);
  void LoadKeys(int64_t begin, int64_t end);
  void LoadElements(size_t operand, ElementType type, int64_t line, int64_t begin, int64_t count,
                    std::byte* to) const;
  void Move(int64_t begin, int64_t end, int turn);
  void Store(size_t k, int64_t begin, int64_t end);

  absl::Status SortSubtrees(int depth, int64_t node_count);
  absl::Status MergeDepth(int depth, int64_t node_count);
  absl::Status StoreAll(int64_t line_count);

  const Comparator& comparator_;
  Evaluation& e_;
  const reference::Lines& lines_;
  const MergeTree tree_;
  int64_t first_line_ = 0;
  ScratchArray<uint32_t> source_;
  List<Array> arrays_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_SORT_BATCH_H_
