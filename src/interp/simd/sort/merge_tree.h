// The runs that the reference's merge sort (reference/merge_sort.h) merges.
#ifndef HLOKIT_INTERP_SIMD_SORT_MERGE_TREE_H_
#define HLOKIT_INTERP_SIMD_SORT_MERGE_TREE_H_

#include <algorithm>
#include <cstdint>

#include "interp/reference/merge_sort.h"

namespace hlo::simd {

// The halves, quarters, ... of lines of equal length that lie one behind the other. At depth d line
// i has the 2^d nodes from i * 2^d on. What is too short to be merged of halves is not divided: the
// first of the nodes below it is all of it, the others are empty.
class MergeTree {
 public:
  struct Node {
    int64_t begin;
    int64_t size;

    int64_t end() const { return begin + size; }
    int64_t middle() const { return begin + size / 2; }
    bool IsMerged() const { return size >= kMinMerged; }
  };

  explicit MergeTree(int64_t length) : length_(length) {
    while (MaxSize(depth_) >= kMinMerged) ++depth_;
  }

  int64_t length() const { return length_; }
  // Of the nodes that are not divided.
  int depth() const { return depth_; }
  // Of the nodes that were made by division the largest has ceil(length / 2^depth) elements.
  int64_t MaxSize(int depth) const { return ((length_ - 1) >> depth) + 1; }
  // Of the largest that is not divided, whatever its depth.
  int64_t MaxLeafSize() const { return std::min(length_, kMinMerged - 1); }

  Node At(int depth, int64_t number) const {
    Node node = {(number >> depth) * length_, length_};
    for (int d = depth; d-- > 0;) {
      const bool is_right = (number >> d & 1) != 0;
      const int64_t half = node.IsMerged() ? node.size / 2 : node.size;
      node = is_right ? Node{node.begin + half, node.size - half} : Node{node.begin, half};
    }
    return node;
  }

 private:
  static constexpr auto kMinMerged = static_cast<int64_t>(reference::kMinMergeLength);

  int64_t length_;
  int depth_ = 0;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_MERGE_TREE_H_
