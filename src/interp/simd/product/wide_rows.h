// Rows of a product that are no carriers in memory, made such for the kernels (matrix_kernels.h).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_WIDE_ROWS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_WIDE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "interp/kernel/scratch_pool.h"
#include "interp/simd/base/work_array.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/product/matrix_kernels.h"

namespace hlo::simd {

inline constexpr int64_t kMostRows = 256;  // that are multiplied by a block at a time

// Some terms of some rows as carriers, one row behind the other.
template <typename T>
class WideRows {
 public:
  // For up to so many terms in all, of at most kMostRows rows.
  WideRows(ScratchPool& pool, int64_t most_terms) : elements_(pool, most_terms) {}

  // Row r begins at `from` + row_offsets[r]; its `runs` have `length` terms in all, `stride` apart:
  // side by side, where they are no bf16. The caches are asked for what lies `ahead` elements on.
  void Fill(ProductData<T> from, std::span<const int64_t> row_offsets, std::span<const SumRun> runs,
            int64_t stride, int64_t length, int64_t ahead = 0) {
    T* to = elements_.data();
    for (size_t r = 0; r < row_offsets.size(); ++r) {
      offsets_[r] = static_cast<int64_t>(r) * length;
      for (const SumRun& run : runs) {
        const ProductData<T> terms = from + (row_offsets[r] + run.offset);
        if (ahead != 0 && stride == 1) Fetch(terms + ahead, run.length);
        FillRun(terms, stride, run.length, to);
        to += run.length;
      }
    }
    row_count_ = row_offsets.size();
  }

  const T* elements() const { return elements_.data(); }
  std::span<const int64_t> offsets() const { return {offsets_, row_count_}; }

 private:
  static void FillRun(ProductData<T> from, int64_t stride, int64_t length, T* to) {
    if (from.is_unconverted()) {
      return from.conversion->Convert(from.others, reinterpret_cast<std::byte*>(to), length);
    }
    if constexpr (std::is_same_v<T, float>) {
      const uint16_t* narrow = from.narrow;
      if (stride == 1) {
        const TileLoop widen = GetBlockKernels().widen(ElementType::kBf16);
        return widen(narrow, nullptr, nullptr, to, length);
      }
      for (int64_t i = 0; i < length; ++i) to[i] = Widened(narrow[i * stride]);
    }
  }

  WorkArray<T> elements_;
  int64_t offsets_[kMostRows];
  size_t row_count_ = 0;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_WIDE_ROWS_H_
