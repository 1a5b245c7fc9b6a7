// The loop of matrix_kernels.h for small products, compiled once for each instruction set
// (Highway's pattern for such headers: the guard toggles). The sums of some columns stay in
// registers while the terms of a row pass by; how many columns that are is known when this is
// compiled, so that loops over them need not count.
#if defined(HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_INL_H_
#undef HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/matrix_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

constexpr int kMostColumns = 8;  // at a time

// Columns [first, first + kCount) of all products. kIsDense: they lie side by side on both sides.
template <int kCount, bool kIsDense, typename T>
void MultiplyColumns(const SmallProducts<T>& p, int64_t first) {
  const int64_t stride = kIsDense ? 1 : p.column.column_stride;
  const int64_t out_stride = kIsDense ? 1 : p.column.out_stride;
  for (int64_t b = 0; b < p.batch.size; ++b) {
    const T* rows = p.rows + b * p.batch.row_stride;
    const T* columns = p.columns + b * p.batch.column_stride + first * stride;
    T* out = p.out + b * p.batch.out_stride + first * out_stride;
    for (int64_t r = 0; r < p.row.size; ++r) {
      T sums[kCount] = {};
      for (int64_t k = 0; k < p.sum.size; ++k) {
        const T factor = rows[r * p.row.row_stride + k * p.sum.row_stride];
        const T* line = columns + k * p.sum.column_stride;
        for (int c = 0; c < kCount; ++c) sums[c] += factor * line[c * stride];
      }
      for (int c = 0; c < kCount; ++c) out[r * p.row.out_stride + c * out_stride] = sums[c];
    }
  }
}

template <int kCount, typename T>
void MultiplyRest(const SmallProducts<T>& p, int64_t first, bool is_dense) {
  if constexpr (kCount > 0) {
    if (p.column.size - first < kCount) return MultiplyRest<kCount - 1>(p, first, is_dense);
    is_dense ? MultiplyColumns<kCount, true>(p, first) : MultiplyColumns<kCount, false>(p, first);
  }
}

template <typename T>
void MultiplySmallProducts(const SmallProducts<T>& p) {
  const bool is_dense =
      p.column.size == 1 || (p.column.column_stride == 1 && p.column.out_stride == 1);
  for (int64_t first = 0; first < p.column.size; first += kMostColumns) {
    MultiplyRest<kMostColumns>(p, first, is_dense);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_SMALL_PRODUCTS_INL_H_
