// Passing by what cannot be the largest or smallest element of a line, in vectors.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_WORSE_PIECES_H_
#define HLOKIT_INTERP_SIMD_REDUCE_WORSE_PIECES_H_

#include <cstdint>

#include "interp/simd/vector/wide.h"

namespace hlo::simd {

inline constexpr int64_t kExtremePiece = 64;  // elements

// Values [begin, end) go by in pieces of kExtremePiece elements: where the first one begins that
// has an element as good as `best`, or NaN; `end` if none has.
template <typename T>
int64_t SkipWorsePieces(bool takes_smallest, WideForm<T> best, const T* values, int64_t begin,
                        int64_t end);

// The number of the largest or smallest of so many values; -1 where several are that, or there is
// NaN, or there are too few to look at them together.
template <typename T>
int64_t OnlyBest(bool takes_smallest, const T* values, int64_t count);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_WORSE_PIECES_H_
