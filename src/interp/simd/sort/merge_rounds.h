// Merges of runs by a comparator: many at a time, some comparisons ahead in each.
#ifndef HLOKIT_INTERP_SIMD_SORT_MERGE_ROUNDS_H_
#define HLOKIT_INTERP_SIMD_SORT_MERGE_ROUNDS_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "interp/kernel/scratch_pool.h"
#include "interp/simd/sort/comparator.h"
#include "interp/simd/sort/merge_tree.h"

namespace hlo::simd {

// An array that a comparator reads, in the order that lines have so far.
struct MergedArray {
  const std::byte* bytes;
  int64_t element_size;
};

// Two runs that follow each other become one.
struct PendingMerge {
  PendingMerge(const MergeTree::Node& node)
      : left(static_cast<uint32_t>(node.begin)),
        left_end(static_cast<uint32_t>(node.middle())),
        right(left_end),
        right_end(static_cast<uint32_t>(node.end())),
        next(left) {}

  bool IsAtEnd() const { return left == left_end || right == right_end; }
  // Elements that can be taken whatever the answers are.
  uint32_t certain_count() const { return std::min(left_end - left, right_end - right); }

  uint32_t left, left_end;
  uint32_t right, right_end;
  uint32_t next;             // where the next element goes
  uint32_t even_rounds = 0;  // so many rounds took elements of one run only
};

// Finds the order of merged runs as the reference kernel does: the same comparisons decide.
class MergeRounds {
 public:
  MergeRounds(const Comparator& comparator, Evaluation& e);

  static int64_t ScratchByteSize(const Comparator& comparator);

  // Merges the nodes [first, last) of `depth`: the element at place i is to be the one that is at
  // source[i] now. Ends early when the run is to stop.
  void Merge(const MergeTree& tree, int depth, int64_t first, int64_t last,
             std::span<const MergedArray> arrays, uint32_t* source);

  // The same for nodes that are not divided.
  void SortLeaves(const MergeTree& tree, int64_t first, int64_t last,
                  std::span<const MergedArray> arrays, uint32_t* source);

 private:
  template <typename T>
  using List = Comparison::List<T>;
  static constexpr int64_t kMaxMerges = 64;  // at a time

  void SortLeaf(const MergeTree::Node& leaf, int64_t chunk_begin, uint32_t* source) const;
  void CompareNeighbours(int64_t begin, int64_t end, int64_t max_distance,
                         std::span<const MergedArray> arrays);
  void Round(std::span<PendingMerge> merges, std::span<const MergedArray> arrays, uint32_t* source);
  template <int kReach>
  void RoundOf(std::span<PendingMerge> merges, std::span<const MergedArray> arrays,
               uint32_t* source);

  // Takes from one run as many elements as go before the next of the other.
  void Gallop(PendingMerge& merge, std::span<const MergedArray> arrays, uint32_t* source);
  int64_t CountBefore(const PendingMerge& merge, bool is_left, int64_t count,
                      std::span<const MergedArray> arrays);

  const DeviceContext& device_;
  Comparison comparison_;
  ScratchArray<std::byte> storage_;
  List<std::byte*> later_, earlier_;  // pairs, by array
  List<const std::byte*> later_in_place_, earlier_in_place_;
  uint8_t* answers_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_MERGE_ROUNDS_H_
