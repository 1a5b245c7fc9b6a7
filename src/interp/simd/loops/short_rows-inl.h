// Rows of two to four floats: as many of them side by side as a vector holds, a vector for each
// column. Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_LOOPS_SHORT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_LOOPS_SHORT_ROWS_INL_H_
#undef HLOKIT_INTERP_SIMD_LOOPS_SHORT_ROWS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_LOOPS_SHORT_ROWS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Combines columns as they are.
template <class VectorFn>
struct ColumnsCombined {
  template <class D, class V, size_t kLength>
  static HWY_INLINE V Of(D d, double first, const V (&columns)[kLength]) {
    V result = hn::Set(d, static_cast<hn::TFromD<D>>(first));
    for (const V& column : columns) result = VectorFn()(result, column);
    return result;
  }
};

// Their sums in f64, rounded once.
struct ColumnsSummed {
  template <class D, class V, size_t kLength>
  static HWY_INLINE V Of(D d, double first, const V (&columns)[kLength]) {
    const hn::ScalableTag<double> doubles;
    if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
      V sum = hn::Set(doubles, first);
      for (const V& column : columns) sum = hn::Add(sum, column);
      return sum;
    } else {
      const hn::Half<D> half;
      auto lower = hn::Set(doubles, first), upper = lower;
      for (const V& column : columns) {
        lower = hn::Add(lower, hn::PromoteTo(doubles, hn::LowerHalf(half, column)));
        upper = hn::Add(upper, hn::PromoteTo(doubles, hn::UpperHalf(half, column)));
      }
      return hn::Combine(d, hn::DemoteTo(half, upper), hn::DemoteTo(half, lower));
    }
  }
};

// to[row] for as many of the rows as fill vectors; returns how many that are.
template <class Columns, int kLength, typename T>
HWY_INLINE int64_t ReduceColumnsOf(const T* x, double first, T* to, int64_t row_count) {
  const hn::ScalableTag<T> d;
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  int64_t row = 0;
  for (; row + width <= row_count; row += width, x += kLength * width) {
    hn::Vec<decltype(d)> columns[kLength];
    if constexpr (kLength == 2) {
      hn::LoadInterleaved2(d, x, columns[0], columns[1]);
    } else if constexpr (kLength == 3) {
      hn::LoadInterleaved3(d, x, columns[0], columns[1], columns[2]);
    } else {
      hn::LoadInterleaved4(d, x, columns[0], columns[1], columns[2], columns[3]);
    }
    hn::StoreU(Columns::Of(d, first, columns), d, to + row);
  }
  return row;
}
#else  // a vector holds one row
template <class VectorFn>
struct ColumnsCombined;
struct ColumnsSummed;
#endif

// None where rows have another length.
template <class Columns, typename T>
HWY_INLINE int64_t ReduceShortRows([[maybe_unused]] const T* x, [[maybe_unused]] double first,
                                   [[maybe_unused]] T* to, [[maybe_unused]] int64_t row_count,
                                   [[maybe_unused]] int64_t length) {
#if HWY_TARGET != HWY_SCALAR
  if (length == 2) return ReduceColumnsOf<Columns, 2>(x, first, to, row_count);
  if (length == 3) return ReduceColumnsOf<Columns, 3>(x, first, to, row_count);
  if (length == 4) return ReduceColumnsOf<Columns, 4>(x, first, to, row_count);
#endif
  return 0;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_LOOPS_SHORT_ROWS_INL_H_
