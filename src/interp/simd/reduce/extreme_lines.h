// The largest or smallest value of each of many lines, and its place.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_EXTREME_LINES_H_
#define HLOKIT_INTERP_SIMD_REDUCE_EXTREME_LINES_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/reduce/extreme_choice.h"
#include "interp/simd/reduce/worse_pieces.h"
#include "support/checked_math.h"

namespace hlo::simd {

inline constexpr int64_t kExtremePartSize = int64_t{1} << 14;  // elements that are worth a part
inline constexpr int64_t kMinExtremeLine = 16;                 // shorter ones go many at a time
inline constexpr int64_t kExtremeTile = 256;                   // columns that choose together

// The elements of a line, or of a column of so many, that are one part of it.
inline int64_t ExtremeRowsOfPart(int64_t columns) {
  return columns == 1 ? kExtremePartSize : kExtremePartSize / kExtremeTile;
}

// Lines [line, element] of values that lie dense, and places(line, element).
template <typename T, typename Place, bool kAscending, typename Places>
class ExtremeLines {
  using Choice = ExtremeChoice<T, Place, kAscending>;
  using W = typename Choice::W;
  using Pair = typename Choice::Pair;
  using OfPart = typename Choice::OfPart;

 public:
  ExtremeLines(Evaluation& e, const Places& places)
      : e_(e),
        choice_(e.Function(Attr::kToApply).form()),
        values_(reinterpret_cast<const T*>(e.operand(0).bytes)),
        places_(places),
        line_count_(e.result().element_count()),
        length_(line_count_ == 0 ? 0 : e.operand(0).element_count() / line_count_) {}

  // What each line's choice begins with.
  absl::Status Run(const Pair& init) {
    if (line_count_ == 0) return absl::OkStatus();
    // Short lines go several at a time, long ones in several parts.
    const int64_t lines = std::max<int64_t>(1, kExtremePartSize / length_);
    const int64_t parts_of_line = lines > 1 ? 1 : CeilDiv(length_, kExtremePartSize);
    const ScratchArray<OfPart> chosen(e_.device().scratch(), line_count_ * parts_of_line);
    const absl::Status status =
        ForEachPart(e_.device(), CeilDiv(line_count_, lines) * parts_of_line, [&](int64_t part) {
          const int64_t first = part / parts_of_line * lines;
          const int64_t begin = part % parts_of_line * kExtremePartSize;
          const int64_t end =
              parts_of_line == 1 ? length_ : std::min(length_, begin + kExtremePartSize);
          for (int64_t line = first; line < std::min(line_count_, first + lines); ++line) {
            chosen[line * parts_of_line + part % parts_of_line] = ChooseIn(line, begin, end);
          }
        });
    if (!status.ok()) return status;
    auto* values = reinterpret_cast<T*>(e_.result(0).bytes);
    auto* places = reinterpret_cast<Place*>(e_.result(1).bytes);
    for (int64_t line = 0; line < line_count_; ++line) {
      Pair best = init;
      for (int64_t p = 0; p < parts_of_line; ++p) {
        choice_.TakePart(chosen[line * parts_of_line + p], best);
      }
      values[line] = best.value;
      places[line] = best.place;
    }
    return absl::OkStatus();
  }

 private:
  // Whether a piece of a line reaches the extreme so far is asked by lanes. Only pieces that do are
  // looked through: where one of its elements alone is the best, that is taken, else all of them
  // are, one by one. Pieces follow each other as their elements do, so NaN and equal values are
  // told apart as in the order of the definition (semantics.md 9.1).
  OfPart ChooseIn(int64_t line, int64_t begin, int64_t end) const {
    const T* values = values_ + line * length_;
    const auto is_nan = [&](int64_t k) { return IsNan(Wide(values[k])); };
    while (choice_.skips_nan() && begin + 1 < end && is_nan(begin)) ++begin;
    Pair best = {values[begin], places_(line, begin)};
    bool has_nan = is_nan(begin);
    for (int64_t i = begin; i < end;) {
      if (IsNan(Wide(best.value)) && !choice_.leaves_nan()) break;
      i = SkipWorsePieces(kAscending, Wide(best.value), values, i, end);
      const int64_t piece_end = std::min(end, i + kExtremePiece);
      const int64_t only = OnlyBest(kAscending, values + i, piece_end - i);
      if (only >= 0) {
        choice_.Take({values[i + only], places_(line, i + only)}, best);
        i = piece_end;
      }
      for (; i < piece_end; ++i) {
        has_nan |= is_nan(i);
        choice_.Take({values[i], places_(line, i)}, best);
      }
    }
    return {best, has_nan && choice_.forgets()};
  }

  Evaluation& e_;
  const Choice choice_;
  const T* values_;
  const Places places_;
  const int64_t line_count_, length_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_EXTREME_LINES_H_
