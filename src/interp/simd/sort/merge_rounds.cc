// What a merge asks next depends on the answer, but not much: with r elements of the right run
// taken and l of the left one it asks for the pair (r, l) of what follows. So in each round all
// pairs with r + l < reach are compared, of all merges at once, and then the next `reach` elements
// are taken, one answer after the other. Fewer merges reach further. Pairs nobody asks for cost a
// little, calls of the comparator for single pairs would cost more.
//
// Where one run goes first for long, as in lines that are in order already or where nothing is
// (NaN), its elements are compared with the other's next one, many at once.
//
// Leaves, runs that are sorted by insertion, have all their pairs compared: neighbours at distance
// 1 of many leaves, at distance 2, and so on, read where they lie.
#include "interp/simd/sort/merge_rounds.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/aligned_memory.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxDistance = reference::kMinMergeLength - 2;  // in leaves
constexpr int64_t kCheckEvery = 1024;                             // rounds
constexpr int kMaxReach = 16;
constexpr uint32_t kManyEvenRounds = 4;  // which is rare where order is random
constexpr int64_t kFirstGallop = 32;     // elements

// The pairs (r, l) with r + l < reach, in rows of equal r.
constexpr int64_t PairCount(int reach) { return int64_t{reach} * (reach + 1) / 2; }

// Of one side of all pairs; rows are written in their full length, beyond their end.
int64_t SideByteSize(int64_t element_size) {
  return Aligned((Comparator::kMaxPairs + kMaxReach) * element_size);
}
constexpr int64_t kAnswersByteSize = kMaxDistance * Comparator::kMaxPairs;

// The elements from `at` on; at the end of the run its last one again.
template <int kReach, typename T>
std::array<T, kReach> NextElements(const T* from, uint32_t at, uint32_t end) {
  std::array<T, kReach> elements;
  if (end - at >= kReach) {
    std::memcpy(elements.data(), from + at, sizeof(elements));
  } else {
    for (uint32_t i = 0; i < kReach; ++i) elements[i] = from[at + std::min(i, end - at - 1)];
  }
  return elements;
}

// Writes the elements of the pairs of one merge.
template <int kReach, typename T>
void FillPairs(const PendingMerge& merge, const T* from, T* later, T* earlier) {
  const auto right = NextElements<kReach>(from, merge.right, merge.right_end);
  const auto left = NextElements<kReach>(from, merge.left, merge.left_end);
  for (int r = 0; r < kReach; ++r) {
    std::fill_n(later, kReach, right[r]);
    std::memcpy(earlier, left.data(), sizeof(left));
    later += kReach - r;
    earlier += kReach - r;
  }
}

// Takes elements as the answers of the merge's pairs say: without branches, which nobody could
// predict, and in registers.
template <int kReach, bool kMayEnd>
void TakeElements(PendingMerge& merge, const uint8_t* answers, uint32_t* source) {
  PendingMerge now = merge;
  uint32_t row_length = kReach;
  for (int i = 0; i < kReach; ++i) {
    if (kMayEnd && now.IsAtEnd()) break;
    const uint32_t takes_right = *answers;
    const uint32_t mask = ~takes_right + 1;  // all bits or none
    source[now.next++] = now.left ^ ((now.left ^ now.right) & mask);
    answers += 1 + ((row_length - 1) & mask);
    row_length -= takes_right;
    now.right += takes_right;
    now.left += 1 - takes_right;
  }
  const uint32_t is_even = row_length == kReach || row_length == 0 ? 1 : 0;
  now.even_rounds = (now.even_rounds + is_even) & (~is_even + 1);
  merge = now;
}

// Takes the next `count` elements of the run that is at `at`.
void TakeNext(PendingMerge& merge, uint32_t& at, uint32_t count, uint32_t* source) {
  std::iota(source + merge.next, source + merge.next + count, at);
  merge.next += count;
  at += count;
}

// Takes what is left of the run that is not at its end.
void TakeRest(PendingMerge& merge, uint32_t* source) {
  TakeNext(merge, merge.left, merge.left_end - merge.left, source);
  TakeNext(merge, merge.right, merge.right_end - merge.right, source);
}

}  // namespace

MergeRounds::MergeRounds(const Comparator& comparator, Evaluation& e)
    : device_(e.device()),
      comparison_(comparator, e),
      later_(e.device().scratch()),
      earlier_(e.device().scratch()),
      later_in_place_(e.device().scratch()),
      earlier_in_place_(e.device().scratch()) {
  int64_t byte_size = kAnswersByteSize;
  for (const Comparator::Array& array : comparator.arrays()) {
    byte_size += 2 * SideByteSize(ElementByteSize(array.type));
  }
  storage_ = ScratchArray<std::byte>(e.device().scratch(), byte_size);
  std::byte* next = storage_.get();
  for (const Comparator::Array& array : comparator.arrays()) {
    const int64_t size = SideByteSize(ElementByteSize(array.type));
    later_.push_back(next);
    earlier_.push_back(next + size);
    next += 2 * size;
  }
  later_in_place_.resize(later_.size());
  earlier_in_place_.resize(later_.size());
  answers_ = reinterpret_cast<uint8_t*>(next);
}

int64_t MergeRounds::ScratchByteSize(const Comparator& comparator) {
  int64_t byte_size = Comparison::ScratchByteSize(comparator) + kAnswersByteSize;
  for (const Comparator::Array& array : comparator.arrays()) {
    byte_size += 2 * SideByteSize(ElementByteSize(array.type));
  }
  return byte_size;
}

void MergeRounds::Merge(const MergeTree& tree, int depth, int64_t first, int64_t last,
                        std::span<const MergedArray> arrays, uint32_t* source) {
  List<PendingMerge> merges{ScratchAllocator<PendingMerge>(later_.get_allocator().pool())};
  merges.reserve(kMaxMerges);
  int64_t until_check = kCheckEvery;
  for (;;) {
    for (; first < last && merges.size() < kMaxMerges; ++first) {
      const MergeTree::Node node = tree.At(depth, first);
      if (node.IsMerged()) {
        merges.emplace_back(node);
      } else {
        std::iota(source + node.begin, source + node.end(), static_cast<uint32_t>(node.begin));
      }
    }
    if (merges.empty()) return;
    Round(std::span(merges.data(), merges.size()), arrays, source);
    for (size_t i = merges.size(); i-- > 0;) {
      const bool is_even = merges[i].even_rounds >= kManyEvenRounds;
      if (is_even && !merges[i].IsAtEnd()) Gallop(merges[i], arrays, source);
      if (!merges[i].IsAtEnd()) continue;
      TakeRest(merges[i], source);
      merges[i] = merges.back();
      merges.pop_back();
    }
    if (--until_check > 0) continue;
    until_check = kCheckEvery;
    if (device_.is_interrupted()) return;
  }
}

void MergeRounds::Round(std::span<PendingMerge> merges, std::span<const MergedArray> arrays,
                        uint32_t* source) {
  const auto count = static_cast<int64_t>(merges.size());
  if (count * PairCount(16) <= Comparator::kMaxPairs) {
    RoundOf<16>(merges, arrays, source);
  } else if (count * PairCount(8) <= Comparator::kMaxPairs) {
    RoundOf<8>(merges, arrays, source);
  } else {
    RoundOf<4>(merges, arrays, source);
  }
}

template <int kReach>
void MergeRounds::RoundOf(std::span<PendingMerge> merges, std::span<const MergedArray> arrays,
                          uint32_t* source) {
  static_assert(kReach <= kMaxReach);
  static_assert(kReach > 4 || kMaxMerges * PairCount(kReach) <= Comparator::kMaxPairs);
  constexpr int64_t kPairs = PairCount(kReach);
  for (size_t k = 0; k < arrays.size(); ++k) {
    reference::DispatchElementSize(arrays[k].element_size, [&]<typename T>() {
      T* later = reinterpret_cast<T*>(later_[k]);
      T* earlier = reinterpret_cast<T*>(earlier_[k]);
      for (const PendingMerge& merge : merges) {
        FillPairs<kReach>(merge, reinterpret_cast<const T*>(arrays[k].bytes), later, earlier);
        later += kPairs;
        earlier += kPairs;
      }
    });
  }
  comparison_.Run(later_, earlier_, static_cast<int64_t>(merges.size()) * kPairs, answers_);
  const uint8_t* answers = answers_;
  for (PendingMerge& merge : merges) {
    if (merge.certain_count() >= kReach) {
      TakeElements<kReach, false>(merge, answers, source);
    } else {
      TakeElements<kReach, true>(merge, answers, source);
    }
    answers += kPairs;
  }
}

void MergeRounds::Gallop(PendingMerge& merge, std::span<const MergedArray> arrays,
                         uint32_t* source) {
  const bool is_left = source[merge.next - 1] < merge.left_end;  // as the last element was
  uint32_t& at = is_left ? merge.left : merge.right;
  const uint32_t end = is_left ? merge.left_end : merge.right_end;
  merge.even_rounds = 0;
  for (int64_t most = kFirstGallop; at < end; most = std::min(2 * most, Comparator::kMaxPairs)) {
    const int64_t count = std::min<int64_t>(most, end - at);
    const int64_t before = CountBefore(merge, is_left, count, arrays);
    TakeNext(merge, at, static_cast<uint32_t>(before), source);
    if (before < count) return;
  }
}

// How many of the next `count` elements of one run go before the next of the other.
int64_t MergeRounds::CountBefore(const PendingMerge& merge, bool is_left, int64_t count,
                                 std::span<const MergedArray> arrays) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    reference::DispatchElementSize(arrays[k].element_size, [&]<typename T>() {
      const T* from = reinterpret_cast<const T*>(arrays[k].bytes);
      std::byte* repeated = is_left ? later_[k] : earlier_[k];
      std::fill_n(reinterpret_cast<T*>(repeated), count, from[is_left ? merge.right : merge.left]);
      later_in_place_[k] =
          is_left ? repeated : reinterpret_cast<const std::byte*>(from + merge.right);
      earlier_in_place_[k] =
          is_left ? reinterpret_cast<const std::byte*>(from + merge.left) : repeated;
    });
  }
  comparison_.Run(later_in_place_, earlier_in_place_, count, answers_);
  const auto* found = std::find(answers_, answers_ + count, is_left ? 1 : 0);
  return found - answers_;
}

void MergeRounds::SortLeaves(const MergeTree& tree, int64_t first, int64_t last,
                             std::span<const MergedArray> arrays, uint32_t* source) {
  const int64_t max_size = tree.MaxLeafSize();
  const int64_t leaves_at_once = Comparator::kMaxPairs / max_size;
  for (; first < last; first += leaves_at_once) {
    const int64_t end = std::min(last, first + leaves_at_once);
    const int64_t begin = tree.At(tree.depth(), first).begin;
    CompareNeighbours(begin, tree.At(tree.depth(), end - 1).end(), max_size - 1, arrays);
    for (int64_t i = first; i < end; ++i) SortLeaf(tree.At(tree.depth(), i), begin, source);
  }
}

// Answers for the pairs whose earlier elements are in [begin, end), as far as the later ones are: a
// row of them for each distance.
void MergeRounds::CompareNeighbours(int64_t begin, int64_t end, int64_t max_distance,
                                    std::span<const MergedArray> arrays) {
  for (int64_t distance = 1; distance <= std::min(max_distance, end - begin - 1); ++distance) {
    for (size_t k = 0; k < arrays.size(); ++k) {
      const auto& [bytes, size] = arrays[k];
      earlier_in_place_[k] = bytes + begin * size;
      later_in_place_[k] = bytes + (begin + distance) * size;
    }
    comparison_.Run(later_in_place_, earlier_in_place_, end - begin - distance,
                    answers_ + (distance - 1) * Comparator::kMaxPairs);
  }
}

// Binary insertion as the reference kernel has it (reference/merge_sort.h); the order is a number
// whose hexadecimal digits are elements of the leaf.
void MergeRounds::SortLeaf(const MergeTree::Node& leaf, int64_t chunk_begin,
                           uint32_t* source) const {
  const auto digits_below = [](int64_t place) { return (uint64_t{1} << 4 * place) - 1; };
  const uint8_t* answers = answers_ + (leaf.begin - chunk_begin);
  uint64_t order = 0;
  for (int64_t i = 1; i < leaf.size; ++i) {
    int64_t low = 0, high = i;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      const auto earlier = static_cast<int64_t>(order >> 4 * middle & 15);
      const int64_t goes_before = answers[(i - earlier - 1) * Comparator::kMaxPairs + earlier];
      low += (middle + 1 - low) & (goes_before - 1);
      high += (middle - high) & -goes_before;
    }
    const uint64_t below = order & digits_below(low);
    order = (order ^ below) << 4 | static_cast<uint64_t>(i) << 4 * low | below;
  }
  uint32_t* next = source + leaf.begin;
  for (int64_t i = 0; i < leaf.size; ++i, order >>= 4) {
    *next++ = static_cast<uint32_t>(leaf.begin) + static_cast<uint32_t>(order & 15);
  }
}

}  // namespace hlo::simd
