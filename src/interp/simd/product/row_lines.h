// Rows of a product that lie side by side in memory, their terms far apart, as those of a
// transposed matrix do: brought together for the kernels (matrix_kernels.h), which walk along the
// terms. Where they lie, each term is in another line of the cache, and often in the same few sets
// of it.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_ROW_LINES_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_ROW_LINES_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "interp/kernel/scratch_pool.h"
#include "interp/simd/base/work_array.h"
#include "interp/simd/product/matrix_kernels.h"
#include "interp/simd/product/wide_rows.h"
#include "support/checked_math.h"

namespace hlo::simd {

// Some terms of some rows: of as many rows as a line of the cache holds, term after term, then of
// the next.
template <typename T>
class RowLines {
 public:
  static constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));  // rows

  // For up to so many rows, of at most kMostRows, and terms.
  RowLines(ScratchPool& pool, int64_t row_count, int64_t term_count)
      : elements_(pool, Size(row_count, term_count)) {}

  static int64_t Size(int64_t row_count, int64_t term_count) {
    return RoundUp(row_count, kLine) * term_count;
  }

  // Row r begins at from[r]; its `runs` have `length` terms in all, `stride` apart.
  void Fill(const T* from, int64_t row_count, std::span<const SumRun> runs, int64_t stride,
            int64_t length) {
    T* to = elements_.data();
    for (int64_t row = 0; row < row_count; row += kLine) {
      const int64_t count = std::min(kLine, row_count - row);
      for (const SumRun& run : runs) {
        to = CopyRun(from + row + run.offset, count, run.length, stride, to);
      }
    }
    row_count_ = row_count;
    for (int64_t r = 0; r < row_count; ++r) offsets_[r] = r / kLine * length * kLine + r % kLine;
  }

  const T* elements() const { return elements_.data(); }
  std::span<const int64_t> offsets() const { return {offsets_, static_cast<size_t>(row_count_)}; }

 private:
  static T* CopyRun(const T* from, int64_t count, int64_t length, int64_t stride, T* to) {
    for (int64_t k = 0; k < length; ++k, from += stride, to += kLine) {
      if (count == kLine) {
        std::copy_n(from, kLine, to);
      } else {
        std::copy_n(from, count, to);
      }
    }
    return to;
  }

  WorkArray<T> elements_;
  int64_t offsets_[kMostRows];
  int64_t row_count_ = 0;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_ROW_LINES_H_
