// The loop of matrix_kernels.h for small products, compiled once for each instruction set
// (Highway's pattern for such headers: the guard toggles). The sums of some columns stay in
// registers while the terms of a row pass by; how many columns that are is known when this is
// compiled, so that loops over them need not count.
#if defined(HLOKIT_INTERP_SIMD_PRODUCT_SMALL_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_PRODUCT_SMALL_PRODUCTS_INL_H_
#undef HLOKIT_INTERP_SIMD_PRODUCT_SMALL_PRODUCTS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_PRODUCT_SMALL_PRODUCTS_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/product/matrix_kernels.h"

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

// The same of complex numbers, whose parts are multiplied by the real and by the imaginary part of
// the other factor as they lie, and put together at the end.
template <int kCount, bool kIsDense, typename T>
void MultiplyComplexColumns(const SmallProducts<T>& p, int64_t first) {
  const int64_t stride = 2 * (kIsDense ? 1 : p.column.column_stride);
  const int64_t out_stride = 2 * (kIsDense ? 1 : p.column.out_stride);
  for (int64_t b = 0; b < p.batch.size; ++b) {
    const T* rows = p.rows + 2 * b * p.batch.row_stride;
    const T* columns = p.columns + 2 * b * p.batch.column_stride + first * stride;
    T* out = p.out + 2 * b * p.batch.out_stride + first * out_stride;
    for (int64_t r = 0; r < p.row.size; ++r) {
      T by_real[2 * kCount] = {}, by_imaginary[2 * kCount] = {};
      for (int64_t k = 0; k < p.sum.size; ++k) {
        const T* factor = rows + 2 * (r * p.row.row_stride + k * p.sum.row_stride);
        const T* line = columns + 2 * k * p.sum.column_stride;
        for (int i = 0; i < 2 * kCount; ++i) {
          const T part = line[i / 2 * stride + i % 2];
          by_real[i] += factor[0] * part;
          by_imaginary[i] += factor[1] * part;
        }
      }
      for (int c = 0; c < kCount; ++c) {
        T* to = out + 2 * r * p.row.out_stride + c * out_stride;
        to[0] = by_real[2 * c] - by_imaginary[2 * c + 1];
        to[1] = by_real[2 * c + 1] + by_imaginary[2 * c];
      }
    }
  }
}

template <bool kIsComplex, int kCount, bool kIsDense, typename T>
void MultiplySomeColumns(const SmallProducts<T>& p, int64_t first) {
  if constexpr (kIsComplex) {
    MultiplyComplexColumns<kCount, kIsDense>(p, first);
  } else {
    MultiplyColumns<kCount, kIsDense>(p, first);
  }
}

template <bool kIsComplex, int kCount, typename T>
void MultiplyRest(const SmallProducts<T>& p, int64_t first, bool is_dense) {
  if constexpr (kCount > 0) {
    if (p.column.size - first < kCount) {
      return MultiplyRest<kIsComplex, kCount - 1>(p, first, is_dense);
    }
    is_dense ? MultiplySomeColumns<kIsComplex, kCount, true>(p, first)
             : MultiplySomeColumns<kIsComplex, kCount, false>(p, first);
  }
}

template <bool kIsComplex, typename T>
void MultiplySmallProducts(const SmallProducts<T>& p) {
  const bool is_dense =
      p.column.size == 1 || (p.column.column_stride == 1 && p.column.out_stride == 1);
  for (int64_t first = 0; first < p.column.size; first += kMostColumns) {
    MultiplyRest<kIsComplex, kMostColumns>(p, first, is_dense);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_SMALL_PRODUCTS_INL_H_
