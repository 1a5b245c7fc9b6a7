// A sort of 16-bit integers by their bytes, for processors that cannot compress vectors.
#ifndef HLOKIT_INTERP_SIMD_SORT_BYTE_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_BYTE_SORT_H_

#include <cstdint>
#include <span>

namespace hlo::simd {

// Ascending. Takes no memory but 24 KiB of the stack.
void SortByBytes(std::span<uint16_t> integers);

// Whether that is faster here than Highway's sort, where there are some hundred.
bool IsByteSortFaster();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_BYTE_SORT_H_
