// The largest or smallest element of each of many columns, row by row, in vectors.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_COLUMN_CHOICE_H_
#define HLOKIT_INTERP_SIMD_REDUCE_COLUMN_CHOICE_H_

#include <cstdint>
#include <type_traits>

#include "interp/simd/vector/wide.h"

namespace hlo::simd {

// A row's number, as wide as what is compared.
template <typename T>
using RowOf = std::conditional_t<sizeof(WideForm<T>) == 8, int64_t, int32_t>;

// What is chosen of the element so far and the next one.
struct ColumnRule {
  bool takes_smallest;
  bool takes_value, takes_place;  // the next one's if both are equal
  bool takes_nan;                 // for a number
  bool leaves_nan;                // for whatever follows
};

// Rows [begin, end) of `count` columns, whose rows are `stride` elements apart: the first is at
// `column`. `kept` and `rows` are what is chosen of the rows before, and where it was. Whether
// there is NaN among the elements.
template <typename T>
bool ChooseInColumns(const ColumnRule& rule, const T* column, int64_t stride, int64_t begin,
                     int64_t end, int64_t count, WideForm<T>* kept, RowOf<T>* rows);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_COLUMN_CHOICE_H_
