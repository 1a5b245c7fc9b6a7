// Strided copies against one element at a time.
#include "interp/reference/strided_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

namespace hlo::reference {
namespace {

// The extent of positions that strides reach, below and above the element of index 0.
struct Reach {
  int64_t below = 0;
  int64_t above = 0;
};
Reach ReachOf(std::span<const int64_t> dims, std::span<const int64_t> strides) {
  Reach reach;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t distance = (dims[d] - 1) * strides[d];
    (distance < 0 ? reach.below : reach.above) += distance;
  }
  return reach;
}

template <typename T>
void CheckCopy(const std::vector<int64_t>& dims, const Strides& from_strides,
               const Strides& to_strides) {
  const Reach from_reach = ReachOf(dims, from_strides);
  const Reach to_reach = ReachOf(dims, to_strides);
  std::vector<T> from(from_reach.above - from_reach.below + 1);
  std::iota(from.begin(), from.end(), T(1));
  std::vector<T> found(to_reach.above - to_reach.below + 1);
  std::vector<T> expected = found;
  const T* source = from.data() - from_reach.below;
  CopyStrided(sizeof(T), dims, reinterpret_cast<const std::byte*>(source), from_strides,
              reinterpret_cast<std::byte*>(found.data() - to_reach.below), to_strides);
  for (const Index& index : IndexSpace(dims)) {
    const auto offset = [&](const Strides& strides) {
      return std::inner_product(index.begin(), index.end(), strides.begin(), int64_t{0});
    };
    expected[offset(to_strides) - to_reach.below] = source[offset(from_strides)];
  }
  ASSERT_EQ(found, expected);
}

template <typename T>
void CheckRandomTranspositions() {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const size_t rank = random() % 5;
    std::vector<int64_t> dims(rank);
    for (int64_t& size : dims) size = 1 + random() % (rank > 2 ? 6 : 70);
    // Strides of a transposed, sometimes reversed or repeated operand.
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    Strides from(rank);
    int64_t stride = 1 + random() % 2;
    for (size_t d : order) {
      from[d] = stride;
      stride *= dims[d];
      if (random() % 5 == 0) from[d] = 0;
      if (random() % 4 == 0) from[d] = -from[d];
    }
    CheckCopy<T>(dims, from, DenseStrides(dims));
  }
}

TEST(StridedCopyTest, AgreesWithOneElementAtATime) {
  CheckRandomTranspositions<uint8_t>();
  CheckRandomTranspositions<uint16_t>();
  CheckRandomTranspositions<uint32_t>();
  CheckRandomTranspositions<uint64_t>();
}

TEST(StridedCopyTest, StridesInTheTarget) {
  CheckCopy<uint32_t>({3, 4}, {4, 1}, {20, 3});
  CheckCopy<uint32_t>({3, 4}, {1, 3}, {-20, -3});
  CheckCopy<uint32_t>({2, 3, 4}, {12, 4, 1}, {4, 8, 1});
}

TEST(StridedCopyTest, EmptyArraysAndScalars) {
  const uint32_t one = 1;
  uint32_t target = 0;
  const auto* from = reinterpret_cast<const std::byte*>(&one);
  auto* to = reinterpret_cast<std::byte*>(&target);
  CopyStrided(4, std::vector<int64_t>{3, 0}, from, Strides{0, 1}, to, Strides{0, 1});
  EXPECT_EQ(target, 0u);
  CopyStrided(4, {}, from, {}, to, {});
  EXPECT_EQ(target, 1u);
}

TEST(StridedCopyTest, ElementsOf16Bytes) {
  const uint64_t from[4] = {1, 2, 3, 4};
  uint64_t to[4] = {};
  CopyStrided(16, std::vector<int64_t>{2}, reinterpret_cast<const std::byte*>(from + 2),
              Strides{-1}, reinterpret_cast<std::byte*>(to), Strides{1});
  EXPECT_EQ(std::vector<uint64_t>(to, to + 4), (std::vector<uint64_t>{3, 4, 1, 2}));
}

}  // namespace
}  // namespace hlo::reference
