// Elements of a line sorted by their places in a stride, and put back.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_PLACES_H_
#define HLOKIT_INTERP_SIMD_REDUCE_PLACES_H_

#include <cstddef>
#include <cstdint>

#include "interp/reference/element_size.h"

namespace hlo::simd {

inline constexpr int64_t kMostElementSize = 16;  // bytes

// visit(in the line, in the sequences) for elements [0, count) of a line: those at 0, stride, ...
// are the first sequence, those at 1 the second, each `length` elements behind the one before.
template <typename Visit>
void ForEachPlace(int64_t count, int64_t stride, int64_t length, Visit&& visit) {
  const int64_t rounds = count / stride;
  if (stride == 2) {  // which the compiler makes vectors of
    for (int64_t k = 0; k < rounds; ++k) {
      visit(2 * k, k);
      visit(2 * k + 1, length + k);
    }
  } else {
    for (int64_t k = 0; k < rounds; ++k) {
      for (int64_t p = 0; p < stride; ++p) visit(k * stride + p, p * length + k);
    }
  }
  for (int64_t i = rounds * stride; i < count; ++i)
    visit(i, (i - rounds * stride) * length + rounds);
}

// A line's elements, of `size` bytes, to sequences.
inline void SortByPlace(int64_t size, const std::byte* line, int64_t count, int64_t stride,
                        int64_t length, std::byte* sorted) {
  reference::DispatchElementSize(size, [&]<typename T>() {
    const T* from = reinterpret_cast<const T*>(line);
    T* to = reinterpret_cast<T*>(sorted);
    ForEachPlace(count, stride, length, [=](int64_t i, int64_t place) { to[place] = from[i]; });
  });
}

// The way back.
inline void PutIntoPlaces(int64_t size, const std::byte* sorted, int64_t count, int64_t stride,
                          int64_t length, std::byte* line) {
  reference::DispatchElementSize(size, [&]<typename T>() {
    const T* from = reinterpret_cast<const T*>(sorted);
    T* to = reinterpret_cast<T*>(line);
    ForEachPlace(count, stride, length, [=](int64_t i, int64_t place) { to[i] = from[place]; });
  });
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_PLACES_H_
