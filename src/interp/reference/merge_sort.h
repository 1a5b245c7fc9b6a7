// The one sorting algorithm of the reference: its questions, and so its answer for comparators
// that are no strict weak order, are part of the definition (semantics.md 9.6).
#ifndef HLOKIT_INTERP_REFERENCE_MERGE_SORT_H_
#define HLOKIT_INTERP_REFERENCE_MERGE_SORT_H_

#include <algorithm>
#include <cstdint>
#include <span>

namespace hlo::reference {

// Runs shorter than this are sorted by binary insertion.
inline constexpr size_t kMinMergeLength = 9;

template <typename Less>
void BinaryInsertionSort(std::span<int64_t> items, Less& less) {
  for (size_t i = 1; i < items.size(); ++i) {
    const int64_t item = items[i];
    size_t low = 0;
    size_t high = i;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (less(item, items[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    std::copy_backward(items.begin() + low, items.begin() + i, items.begin() + i + 1);
    items[low] = item;
  }
}

// Stable top-down merge sort, split at n/2. Asks less(b, a) only for b behind a; terminates with
// some permutation whatever `less` answers. `scratch` is as long as `items`.
template <typename Less>
void MergeSort(std::span<int64_t> items, std::span<int64_t> scratch, Less& less) {
  if (items.size() < kMinMergeLength) {
    BinaryInsertionSort(items, less);
    return;
  }
  const size_t half = items.size() / 2;
  MergeSort(items.first(half), scratch.first(half), less);
  MergeSort(items.subspan(half), scratch.subspan(half), less);
  std::copy_n(items.begin(), half, scratch.begin());
  size_t left = 0;
  size_t right = half;
  size_t next = 0;
  while (left < half && right < items.size()) {
    items[next++] = less(items[right], scratch[left]) ? items[right++] : scratch[left++];
  }
  std::copy(scratch.begin() + left, scratch.begin() + half, items.begin() + next);
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_MERGE_SORT_H_
