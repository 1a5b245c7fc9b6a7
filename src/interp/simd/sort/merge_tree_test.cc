// The division of lines into runs against that of the reference kernel's merge sort.
#include "interp/simd/sort/merge_tree.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace hlo::simd {
namespace {

using Nodes = std::vector<std::pair<int64_t, int64_t>>;  // begin, size

// What the reference's merge sort divides a line into down to `depth`.
void Divide(int64_t begin, int64_t size, int depth, Nodes& nodes) {
  if (depth == 0 || size < static_cast<int64_t>(reference::kMinMergeLength)) {
    nodes.emplace_back(begin, size);
    return;
  }
  Divide(begin, size / 2, depth - 1, nodes);
  Divide(begin + size / 2, size - size / 2, depth - 1, nodes);
}

TEST(MergeTreeTest, DividesLinesAsTheReferenceDoes) {
  constexpr int64_t kLines = 3;
  for (int64_t length = 1; length < 300; ++length) {
    const MergeTree tree(length);
    for (int depth = 0; depth <= tree.depth(); ++depth) {
      Nodes expected, found;
      for (int64_t line = 0; line < kLines; ++line) {
        Divide(line * length, length, depth, expected);
      }
      for (int64_t i = 0; i < kLines << depth; ++i) {
        const MergeTree::Node node = tree.At(depth, i);
        if (node.size > 0) found.emplace_back(node.begin, node.size);
        EXPECT_TRUE(depth < tree.depth() || node.size <= tree.MaxLeafSize());
      }
      EXPECT_EQ(found, expected) << length << " at depth " << depth;
    }
  }
}

}  // namespace
}  // namespace hlo::simd
