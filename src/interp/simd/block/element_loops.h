// Loops that move elements, in the form of those that compute them: for calls with addresses.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_ELEMENT_LOOPS_H_
#define HLOKIT_INTERP_SIMD_BLOCK_ELEMENT_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hlo::simd {

template <typename T>
void CopyElement(const void* from, const void*, const void*, void* to, int64_t) {
  std::memcpy(to, from, sizeof(T));
}
template <typename T>
void CopyElements(const void* from, const void*, const void*, void* to, int64_t count) {
  std::memmove(to, from, static_cast<size_t>(count) * sizeof(T));
}
template <typename T>
void FillWithElement(const void* from, const void*, const void*, void* to, int64_t count) {
  std::fill_n(static_cast<T*>(to), count, *static_cast<const T*>(from));
}
template <typename T>
void RepeatElements(const void* from, const void*, const void* length, void* to, int64_t count) {
  const int64_t row_length = *static_cast<const int64_t*>(length);
  const T* element = static_cast<const T*>(from);
  T* const end = static_cast<T*>(to) + count;
  for (T* row = static_cast<T*>(to); row != end; row += row_length) {
    std::fill_n(row, row_length, *element++);
  }
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_ELEMENT_LOOPS_H_
