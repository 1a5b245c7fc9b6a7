// One tile is some rows by a few vectors of columns, whose sums stay in registers while k runs. How
// many rows that are depends on the number of registers.
#include "interp/simd/matrix_kernels.h"

#include <algorithm>

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/matrix_kernels.cc"
#include "interp/simd/targets.h"
// After targets.h, which says for which.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMaxVectors = 4;  // of a panel
// 512 bits come with 32 registers, fewer with 16.
constexpr bool kHasManyRegisters = HWY_MAX_BYTES >= 64;

// Rows of a tile whose columns take that many vectors.
constexpr int RowsOf(int vectors) {
  constexpr int kMany[] = {8, 8, 8, 6};
  constexpr int kFew[] = {8, 6, 4, 3};
  return (kHasManyRegisters ? kMany : kFew)[vectors - 1];
}

// Sums of integers wrap, and have no fused form.
template <class D, class V>
HWY_INLINE V AddProduct(D, V a, V b, V sum) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::MulAdd(a, b, sum);
  } else {
    return hn::Add(sum, hn::Mul(a, b));
  }
}

template <int kRows, int kVectors, typename T>
HWY_INLINE void MultiplyRows(const TileArguments<T>& tile, int64_t row) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  V sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const T* columns = tile.columns;
  for (const SumRun& run : tile.runs) {
    const T* rows[kRows];
    for (int r = 0; r < kRows; ++r) {
      rows[r] = tile.rows + tile.row_offsets[static_cast<size_t>(row + r)] + run.offset;
    }
    int64_t at = 0;  // in all rows
    for (int64_t k = 0; k < run.length; ++k, at += tile.sum_stride) {
      V values[kVectors];
      for (int v = 0; v < kVectors; ++v) values[v] = hn::LoadU(d, columns + v * width);
      for (int r = 0; r < kRows; ++r) {
        const V factor = hn::Set(d, rows[r][at]);
        for (int v = 0; v < kVectors; ++v) {
          sums[r][v] = AddProduct(d, factor, values[v], sums[r][v]);
        }
      }
      columns += tile.column_stride;
    }
  }
  const int64_t last_width = tile.column_count - (kVectors - 1) * width;
  for (int r = 0; r < kRows; ++r) {
    T* out = tile.out + (row + r) * tile.out_stride;
    for (int v = 0; v < kVectors; ++v) {
      V sum = sums[r][v];
      if (v + 1 < kVectors || last_width == width) {
        if (tile.adds) sum = hn::Add(sum, hn::LoadU(d, out + v * width));
        hn::StoreU(sum, d, out + v * width);
      } else {
        HWY_ALIGN T rest[HWY_MAX_BYTES / sizeof(T)] = {};
        hn::Store(sum, d, rest);
        for (int64_t i = 0; i < last_width; ++i) {
          out[v * width + i] = tile.adds ? out[v * width + i] + rest[i] : rest[i];
        }
      }
    }
  }
}

// The rows that are left over go in smaller tiles. There are few sizes: each takes long to compile.
template <int kRows, int kVectors, typename T>
HWY_INLINE void MultiplyRowsFrom(const TileArguments<T>& tile, int64_t row) {
  const int64_t row_count = static_cast<int64_t>(tile.row_offsets.size());
  for (; row + kRows <= row_count; row += kRows) MultiplyRows<kRows, kVectors>(tile, row);
  if constexpr (kRows > 1) MultiplyRowsFrom<(kRows > 4 ? 4 : 1), kVectors>(tile, row);
}

template <int kVectors, typename T>
HWY_INLINE void MultiplyPanel(const TileArguments<T>& tile) {
  constexpr int kRows = hwy::IsFloat<T>() ? RowsOf(kVectors) : 4;
  MultiplyRowsFrom<kRows, kVectors>(tile, 0);
}

template <typename T>
void Multiply(const TileArguments<T>& tile) {
  const int64_t width = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  switch ((tile.column_count + width - 1) / width) {
    case 1:
      return MultiplyPanel<1>(tile);
    case 2:
      return MultiplyPanel<2>(tile);
    case 3:
      return MultiplyPanel<3>(tile);
    case 4:
      return MultiplyPanel<4>(tile);
  }
}

template <typename T>
T Dot(const T* a, const T* b, int64_t count) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  V sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  int64_t i = 0;
  for (; i + 4 * width <= count; i += 4 * width) {
    for (int v = 0; v < 4; ++v) {
      sums[v] =
          AddProduct(d, hn::LoadU(d, a + i + v * width), hn::LoadU(d, b + i + v * width), sums[v]);
    }
  }
  for (; i + width <= count; i += width) {
    sums[0] = AddProduct(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i), sums[0]);
  }
  const V pairs = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)] = {};
  hn::Store(pairs, d, lanes);
  for (int64_t half = width / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  T sum = lanes[0];
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

template <typename T>
MatrixKernels<T> Kernels() {
  const int64_t width = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  return {width, kMaxVectors * width, Multiply<T>, Dot<T>};
}

MatrixKernels<float> KernelsF32() { return Kernels<float>(); }
MatrixKernels<double> KernelsF64() { return Kernels<double>(); }
MatrixKernels<uint32_t> KernelsU32() { return Kernels<uint32_t>(); }
MatrixKernels<uint64_t> KernelsU64() { return Kernels<uint64_t>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(KernelsF32);
HWY_EXPORT(KernelsF64);
HWY_EXPORT(KernelsU32);
HWY_EXPORT(KernelsU64);

template <>
const MatrixKernels<float>& GetMatrixKernels() {
  static const MatrixKernels<float> kernels = HWY_DYNAMIC_DISPATCH(KernelsF32)();
  return kernels;
}
template <>
const MatrixKernels<double>& GetMatrixKernels() {
  static const MatrixKernels<double> kernels = HWY_DYNAMIC_DISPATCH(KernelsF64)();
  return kernels;
}
template <>
const MatrixKernels<uint32_t>& GetMatrixKernels() {
  static const MatrixKernels<uint32_t> kernels = HWY_DYNAMIC_DISPATCH(KernelsU32)();
  return kernels;
}
template <>
const MatrixKernels<uint64_t>& GetMatrixKernels() {
  static const MatrixKernels<uint64_t> kernels = HWY_DYNAMIC_DISPATCH(KernelsU64)();
  return kernels;
}

}  // namespace hlo::simd
#endif
