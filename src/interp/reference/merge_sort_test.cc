// Which questions the sort asks is part of its definition (semantics.md 9.6), so tests look at
// these too, and at comparators that make no sense. Beside it the keys that put floats in their
// total order.
#include "interp/reference/merge_sort.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "interp/reference/sort_key.h"

namespace hlo::reference {
namespace {

template <typename Less>
std::vector<int64_t> Sorted(size_t count, Less less) {
  std::vector<int64_t> items(count), scratch(count);
  std::iota(items.begin(), items.end(), 0);
  MergeSort(std::span(items), std::span(scratch), less);
  return items;
}

TEST(MergeSortTest, IsStableAtEveryLength) {
  for (size_t count = 0; count < 200; ++count) {
    auto key = [](int64_t i) { return i * 7919 % 13; };
    auto less = [&](int64_t a, int64_t b) { return key(a) < key(b); };
    std::vector<int64_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), less);
    EXPECT_EQ(Sorted(count, less), expected) << count;
  }
}

TEST(MergeSortTest, GivesAPermutationWhateverIsAnswered) {
  int64_t question = 0;
  for (auto& answers : std::vector<std::vector<bool>>{{true}, {false}, {true, false, false}}) {
    std::vector<int64_t> items =
        Sorted(100, [&](int64_t, int64_t) { return answers[question++ % answers.size()]; });
    std::sort(items.begin(), items.end());
    for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(items[i], i);
  }
}

// lt(b, a) is asked for b behind a only: a comparator that is never true changes nothing.
TEST(MergeSortTest, AsksOnlyWhetherLaterItemsComeFirst) {
  Sorted(100, [](int64_t later, int64_t earlier) {
    EXPECT_GT(later, earlier);
    return false;
  });
}

TEST(SortKeyTest, TotalOrder) {
  const std::vector<float> ordered = {-std::nanf(""), -INFINITY, -1, -1e-40f,  -0.0f,
                                      0.0f,           1e-40f,    1,  INFINITY, std::nanf("")};
  for (size_t i = 1; i < ordered.size(); ++i) {
    EXPECT_LT(TotalOrderKey(ordered[i - 1]), TotalOrderKey(ordered[i])) << i;
    EXPECT_LT(TotalOrderKey(static_cast<double>(ordered[i - 1])),
              TotalOrderKey(static_cast<double>(ordered[i])))
        << i;
  }
  EXPECT_LT(TotalOrderKey(Bf16(-0.0f)), TotalOrderKey(Bf16(0.0f)));
  // fnuz types have one NaN, coded as -0, and it is the lowest.
  EXPECT_LT(TotalOrderKey(F8E4M3Fnuz::FromBits(0x80)), TotalOrderKey(F8E4M3Fnuz::FromBits(0xff)));
  EXPECT_LT(TotalOrderKey(F8E4M3Fnuz::FromBits(0x81)), TotalOrderKey(F8E4M3Fnuz(0.0f)));
  EXPECT_LT(TotalOrderKey(F8E8M0Fnu(1.0f)), TotalOrderKey(F8E8M0Fnu(2.0f)));
}

}  // namespace
}  // namespace hlo::reference
