// Terms of rows of a product, brought together for the kernels (matrix_kernels.h), which walk along
// them: of rows that lie side by side in memory, their terms far apart, as those of a transposed
// matrix do, so that each term is in another line of the cache, and often in the same few sets of
// it; and of a few rows that are all multiplied by the same columns.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_ROW_LINES_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_ROW_LINES_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

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
      : elements_(pool, Size(row_count, term_count)), line_(LineOf(row_count)) {}

  static int64_t Size(int64_t row_count, int64_t term_count) {
    return RoundUp(row_count, LineOf(row_count)) * term_count;
  }

  // From term to term of a row.
  int64_t line() const { return line_; }

  // Row r begins at from + row_offsets[r]; its `runs` have `length` terms in all, `stride` apart.
  // `lie_together`: most rows lie beside the one before.
  void Fill(ProductData<T> from, std::span<const int64_t> row_offsets, bool lie_together,
            std::span<const SumRun> runs, int64_t stride, int64_t length) {
    T* to = elements_.data();
    const auto row_count = std::ssize(row_offsets);
    for (int64_t row = 0; row < row_count; row += line_) {
      const int64_t count = std::min(line_, row_count - row);
      const auto some = row_offsets.subspan(static_cast<size_t>(row), static_cast<size_t>(count));
      for (const SumRun& run : runs) {
        if (lie_together) {
          CopyRuns(from + run.offset, some, run.length, stride, to);
        } else {
          TurnRun(from + run.offset, some, run.length, stride, to);
        }
        to += run.length * line_;
      }
    }
    row_count_ = row_count;
    for (int64_t r = 0; r < row_count; ++r) offsets_[r] = r / line_ * length * line_ + r % line_;
  }

  const T* elements() const { return elements_.data(); }
  std::span<const int64_t> offsets() const { return {offsets_, static_cast<size_t>(row_count_)}; }

 private:
  // Fewer rows than fill a line of the cache have shorter ones, so that these stay there.
  static int64_t LineOf(int64_t row_count) {
    return std::min(kLine, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(row_count))));
  }

  // Rows that lie side by side at a time.
  void CopyRuns(ProductData<T> from, std::span<const int64_t> row_offsets, int64_t length,
                int64_t stride, T* to) const {
    const MatrixKernels<T>& kernels = GetMatrixKernels<T>();
    for (size_t begin = 0; begin < row_offsets.size();) {
      size_t end = begin + 1;
      while (end < row_offsets.size() && row_offsets[end] == row_offsets[end - 1] + 1) ++end;
      const auto count = static_cast<int64_t>(end - begin);
      const ProductData<T> run = from + row_offsets[begin];
      const bool is_all = end - begin == row_offsets.size();
      if (is_all && from.is_narrow() && line_ == kLine && kernels.panel_width >= kLine) {
        // As the only panel of columns that a line has, which is filled up with zeros.
        kernels.pack_lines({run, stride, length, /*first=*/0, count, to, /*panel_pitch=*/0, kLine});
      } else {
        CopyRun(run, count, length, stride, to + begin);
      }
      begin = end;
    }
  }
  void CopyRun(ProductData<T> from, int64_t count, int64_t length, int64_t stride, T* to) const {
    WithElements(from, [&]<typename S>(const S* elements) {
      for (int64_t k = 0; k < length; ++k, elements += stride, to += line_) {
        if constexpr (std::is_same_v<S, T>) {
          if (count == kLine) {
            std::memcpy(to, elements, kLine * sizeof(T));  // some vectors
          } else {
            std::memcpy(to, elements, static_cast<size_t>(count) * sizeof(T));
          }
        } else {
          for (int64_t r = 0; r < count; ++r) to[r] = Widened(elements[r]);
        }
      }
    });
  }
  void TurnRun(ProductData<T> from, std::span<const int64_t> row_offsets, int64_t length,
               int64_t stride, T* to) const {
    WithElements(from, [&](const auto* elements) {
      for (const int64_t offset : row_offsets) {
        const auto* row = elements + offset;
        for (int64_t k = 0; k < length; ++k, row += stride) to[k * line_] = Widened(*row);
        ++to;
      }
    });
  }

  WorkArray<T> elements_;
  int64_t line_;
  int64_t offsets_[kMostRows];
  int64_t row_count_ = 0;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_ROW_LINES_H_
