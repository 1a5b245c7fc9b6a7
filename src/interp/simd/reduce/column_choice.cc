// Plain loops without branches, which the compiler makes vectors of.
#include "interp/simd/reduce/column_choice.h"

#include "interp/simd/reduce/extreme_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/reduce/column_choice.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

template <bool kAscending, typename T>
bool ChooseBy(const ColumnRule& rule, const T* column, int64_t stride, int64_t begin, int64_t end,
              int64_t count, WideForm<T>* kept, RowOf<T>* rows) {
  using W = WideForm<T>;
  using Row = RowOf<T>;
  const bool takes_value = rule.takes_value, takes_place = rule.takes_place;
  const bool takes_nan = rule.takes_nan, leaves_nan = rule.leaves_nan;
  Row has_nan = 0;
  for (int64_t r = begin; r < end; ++r) {
    const T* row = column + r * stride;
    for (int64_t c = 0; c < count; ++c) {
      const W next = Wide(row[c]), best = kept[c];
      const bool is_better = kAscending ? next < best : next > best;
      const bool is_nan = next != next, was_nan = best != best;  // never of integers
      const bool takes = is_better | (was_nan & leaves_nan) | (is_nan & !was_nan & takes_nan);
      const bool is_equal = next == best;
      has_nan |= static_cast<Row>(is_nan);
      kept[c] = takes | (is_equal & takes_value) ? next : best;
      rows[c] = takes | (is_equal & takes_place) ? static_cast<Row>(r) : rows[c];
    }
  }
  return has_nan != 0;
}

template <typename T>
bool Choose(const ColumnRule& rule, const T* column, int64_t stride, int64_t begin, int64_t end,
            int64_t count, WideForm<T>* kept, RowOf<T>* rows) {
  if (rule.takes_smallest)
    return ChooseBy<true>(rule, column, stride, begin, end, count, kept, rows);
  return ChooseBy<false>(rule, column, stride, begin, end, count, kept, rows);
}

#define HLO_CHOICE(name, T)                                                                 \
  bool Choose##name(const ColumnRule& rule, const T* column, int64_t stride, int64_t begin, \
                    int64_t end, int64_t count, WideForm<T>* kept, RowOf<T>* rows) {        \
    return Choose(rule, column, stride, begin, end, count, kept, rows);                     \
  }
HLO_EXTREME_TYPES(HLO_CHOICE)
#undef HLO_CHOICE

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

#define HLO_CHOICE(name, T)                                                                    \
  HWY_EXPORT(Choose##name);                                                                    \
  template <>                                                                                  \
  bool ChooseInColumns(const ColumnRule& rule, const T* column, int64_t stride, int64_t begin, \
                       int64_t end, int64_t count, WideForm<T>* kept, RowOf<T>* rows) {        \
    return HWY_DYNAMIC_DISPATCH(Choose##name)(rule, column, stride, begin, end, count, kept,   \
                                              rows);                                           \
  }
HLO_EXTREME_TYPES(HLO_CHOICE)
#undef HLO_CHOICE

}  // namespace hlo::simd
#endif
