// The largest or smallest value of each of many columns, and its place.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_EXTREME_COLUMNS_H_
#define HLOKIT_INTERP_SIMD_REDUCE_EXTREME_COLUMNS_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/reduce/column_choice.h"
#include "interp/simd/reduce/extreme_choice.h"
#include "interp/simd/reduce/extreme_lines.h"
#include "support/checked_math.h"

namespace hlo::simd {

// Columns of [batch, row, column]. Places count: `first` in row 0 and `step` more from row to row.
// Neighbouring columns choose together, row after row; long ones do so in several parts, which are
// chosen from in order.
template <typename T, typename Place, bool kAscending>
class ExtremeColumns {
  using Choice = ExtremeChoice<T, Place, kAscending>;
  using W = typename Choice::W;
  using Pair = typename Choice::Pair;
  using OfPart = typename Choice::OfPart;

 public:
  ExtremeColumns(Evaluation& e, int64_t rows, int64_t columns, int64_t first, int64_t step)
      : e_(e),
        choice_(e.Function(Attr::kToApply).form()),
        values_(reinterpret_cast<const T*>(e.operand(0).bytes)),
        rows_(rows),
        columns_(columns),
        first_(first),
        step_(step) {}

  absl::Status Run(const Pair& init) {
    const int64_t result_count = e_.result().element_count();
    if (result_count == 0) return absl::OkStatus();
    const int64_t row_parts = CeilDiv(rows_, kRowsOfPart), tiles = CeilDiv(columns_, kTile);
    const ScratchArray<OfPart> chosen(e_.device().scratch(), result_count * row_parts);
    const int64_t parts = result_count / columns_ * row_parts * tiles;
    const absl::Status status = ForEachPart(e_.device(), parts, [&](int64_t part) {
      const int64_t begin = part % tiles * kTile, end = std::min(columns_, begin + kTile);
      const int64_t stretch = part / tiles;  // of rows, in all entries of the batch
      const int64_t row = stretch % row_parts * kRowsOfPart;
      const T* entry = values_ + stretch / row_parts * rows_ * columns_;
      Choose(entry + begin, row, std::min(rows_, row + kRowsOfPart), end - begin,
             chosen.get() + stretch * columns_ + begin);
    });
    if (!status.ok()) return status;
    auto* values = reinterpret_cast<T*>(e_.result(0).bytes);
    auto* places = reinterpret_cast<Place*>(e_.result(1).bytes);
    for (int64_t i = 0; i < result_count; ++i) {
      Pair best = init;
      const OfPart* of_column = chosen.get() + i / columns_ * row_parts * columns_ + i % columns_;
      for (int64_t p = 0; p < row_parts; ++p) choice_.TakePart(of_column[p * columns_], best);
      values[i] = best.value;
      places[i] = best.place;
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kTile = kExtremeTile;
  static constexpr int64_t kRowsOfPart = kExtremePartSize / kTile;
  using Row = RowOf<T>;

  // Rows [begin, end) of `count` columns, the first of which is at `column`.
  void Choose(const T* column, int64_t begin, int64_t end, int64_t count, OfPart* chosen) const {
    W kept[kTile];
    Row rows[kTile];
    const T* row = column + begin * columns_;
    bool forgets[kTile] = {};
    for (int64_t c = 0; c < count; ++c) {
      kept[c] = Wide(row[c]);
      rows[c] = static_cast<Row>(begin);
      forgets[c] = choice_.forgets() && IsNan(kept[c]);
    }
    const ColumnRule rule = {
        .takes_smallest = kAscending,
        .takes_value = choice_.takes_last_of_equal(),
        .takes_place = choice_.TakesPlaceOfEqual(/*is_smaller=*/step_ < 0),
        .takes_nan = choice_.takes_nan(),
        .leaves_nan = choice_.leaves_nan() || choice_.skips_nan(),
    };
    const bool has_nan = ChooseInColumns(rule, column, columns_, begin + 1, end, count, kept, rows);
    for (int64_t r = begin + 1; has_nan && choice_.forgets() && r < end; ++r) {
      row += columns_;
      for (int64_t c = 0; c < count; ++c) forgets[c] |= IsNan(Wide(row[c]));
    }
    for (int64_t c = 0; c < count; ++c) {
      // NaN as it is in memory: narrow ones are no longer the same when they were widened.
      const T value = IsNan(kept[c]) ? column[rows[c] * columns_ + c] : static_cast<T>(kept[c]);
      chosen[c] = {{value, static_cast<Place>(first_ + rows[c] * step_)}, forgets[c]};
    }
  }

  Evaluation& e_;
  const Choice choice_;
  const T* values_;
  const int64_t rows_, columns_, first_, step_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_EXTREME_COLUMNS_H_
