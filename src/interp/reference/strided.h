// Walks over arrays by strides: the loops that reductions, contractions and indexing share.
// Strides and offsets count elements.
#ifndef HLOKIT_INTERP_REFERENCE_STRIDED_H_
#define HLOKIT_INTERP_REFERENCE_STRIDED_H_

#include <array>
#include <cstdint>
#include <span>

#include "interp/kernel/array_view.h"
#include "interp/reference/strided_copy.h"
#include "ir/index_space.h"

namespace hlo::reference {

inline std::span<const int64_t> AsSpan(const Index& index) { return {index.data(), index.size()}; }

inline int64_t Product(std::span<const int64_t> sizes) { return CountElements(sizes); }

// values[positions[0]], values[positions[1]], ...
inline Index Select(std::span<const int64_t> values, std::span<const int64_t> positions) {
  Index selected(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) selected[i] = values[positions[i]];
  return selected;
}

inline bool Contains(std::span<const int64_t> values, int64_t value) {
  for (int64_t candidate : values) {
    if (candidate == value) return true;
  }
  return false;
}

// The dimensions 0 ... rank-1 that are in none of the lists, increasing.
inline Index OtherDimensions(int64_t rank, std::span<const int64_t> excluded,
                             std::span<const int64_t> also_excluded = {}) {
  Index others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(excluded, d) && !Contains(also_excluded, d)) others.push_back(d);
  }
  return others;
}

// Calls visit(offsets) for every index of an array of sizes `dims`, row-major; offsets[k] is the
// sum of index[d] * strides[k][d].
template <size_t kCount, typename Visit>
void ForEachOffsets(std::span<const int64_t> dims,
                    const std::array<std::span<const int64_t>, kCount>& strides, Visit&& visit) {
  for (int64_t size : dims) {
    if (size <= 0) return;
  }
  std::array<int64_t, kCount> offsets{};
  if (dims.empty()) {
    visit(offsets);
    return;
  }
  const size_t inner = dims.size() - 1;
  Index index(dims.size());
  for (;;) {
    std::array<int64_t, kCount> at = offsets;
    for (int64_t i = 0; i < dims[inner]; ++i) {
      visit(at);
      for (size_t k = 0; k < kCount; ++k) at[k] += strides[k][inner];
    }
    size_t d = inner;
    for (;;) {
      if (d == 0) return;
      --d;
      for (size_t k = 0; k < kCount; ++k) offsets[k] += strides[k][d];
      if (++index[d] < dims[d]) break;
      for (size_t k = 0; k < kCount; ++k) offsets[k] -= strides[k][d] * dims[d];
      index[d] = 0;
    }
  }
}

// The same with one offset: visit(offset).
template <typename Visit>
void ForEachOffset(std::span<const int64_t> dims, std::span<const int64_t> strides, Visit&& visit) {
  ForEachOffsets<1>(dims, {strides},
                    [&](const std::array<int64_t, 1>& offsets) { visit(offsets[0]); });
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_STRIDED_H_
