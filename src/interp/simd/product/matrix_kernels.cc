// One tile is some rows by a few vectors of columns, whose sums stay in registers while k runs. How
// many rows that are depends on the number of registers.
#include "interp/simd/product/matrix_kernels.h"

#include <algorithm>

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/product/matrix_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/product/small_products-inl.h"

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

template <typename T>
constexpr int TileHeight(int vectors) {
  return hwy::IsFloat<T>() ? RowsOf(vectors) : 4;
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

// Carriers from where they or their narrow form lie.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadWide(D d, const T* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadWide(D d, const uint16_t* from) {
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<uint16_t, D> narrow;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, hn::LoadU(narrow, from))));
}

// The part of next_columns that goes with some rows: each row asks for as much.
template <typename T>
class NextColumns {
 public:
  NextColumns(const TileArguments<T>& tile, int64_t row, int64_t row_count)
      : at_(tile.next_columns) {
    if (at_ == nullptr) {
      at_ = tile.columns.carriers;  // what is there already
      return;
    }
    const auto all_rows = static_cast<int64_t>(tile.row_offsets.size());
    int64_t term_count = 0;
    for (const SumRun& run : tile.runs) term_count += run.length;
    at_ += term_count * tile.column_stride / all_rows * row;
    step_ = tile.column_stride * row_count / all_rows;
  }

  // Once for each term.
  HWY_INLINE void AskFor() {
    hwy::Prefetch(at_);
    at_ += step_;
  }

 private:
  const T* at_;
  int64_t step_ = 0;  // elements
};

template <int kRows, int kVectors, typename T>
HWY_INLINE void MultiplyRows(const TileArguments<T>& tile, int64_t row) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  V sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const T* columns = tile.columns.carriers;
  NextColumns<T> next(tile, row, kRows);
  for (const SumRun& run : tile.runs) {
    const T* rows[kRows];
    for (int r = 0; r < kRows; ++r) {
      rows[r] = tile.rows + tile.row_offsets[static_cast<size_t>(row + r)] + run.offset;
    }
    int64_t at = 0;  // in all rows
    for (int64_t k = 0; k < run.length; ++k, at += tile.sum_stride) {
      next.AskFor();
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
  for (; row + kRows <= row_count; row += kRows) {
    MultiplyRows<kRows, kVectors>(tile, row);
  }
  if constexpr (kRows > 1) MultiplyRowsFrom<(kRows > 4 ? 4 : 1), kVectors>(tile, row);
}

template <int kVectors, typename T>
HWY_INLINE void MultiplyPanel(const TileArguments<T>& tile) {
  MultiplyRowsFrom<TileHeight<T>(kVectors), kVectors>(tile, 0);
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

// --- Wide rows of columns

constexpr int64_t kWideTerms = 8;  // whose rows processors fetch ahead side by side
constexpr int kWideRows = 4;

// out[r, c] (+)= sum over some terms of rows[r][k] * columns[k, c], for kVectors of columns.
template <int kRows, int kVectors, typename T, typename S>
HWY_INLINE void AddTerms(const TileArguments<T>& tile, const T* const* rows, int64_t term_count,
                         const S* columns, T* out, bool adds) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  V sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = adds ? hn::LoadU(d, out + r * tile.out_stride + v * width) : hn::Zero(d);
    }
  }
  for (int64_t k = 0; k < term_count; ++k, columns += tile.column_stride) {
    V values[kVectors];
    for (int v = 0; v < kVectors; ++v) values[v] = LoadWide(d, columns + v * width);
    for (int r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, rows[r][k * tile.sum_stride]);
      for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = AddProduct(d, factor, values[v], sums[r][v]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], d, out + r * tile.out_stride + v * width);
    }
  }
}

// Some rows of a tile, where their terms from `begin` on are.
template <int kRows, typename T>
struct TermRows {
  TermRows(const TileArguments<T>& tile, int64_t row, int64_t begin)
      : out(tile.out + row * tile.out_stride) {
    for (int r = 0; r < kRows; ++r) {
      terms[r] = tile.rows + tile.row_offsets[static_cast<size_t>(row + r)] + tile.runs[0].offset +
                 begin * tile.sum_stride;
    }
  }
  const T* terms[kRows];
  T* out;
};

// All columns but the last, which fill no group of vectors.
template <int kRows, typename T, typename S>
HWY_INLINE void MultiplyWideRows(const TileArguments<T>& tile, const S* columns, int64_t row,
                                 int64_t begin, int64_t term_count, int64_t column_count) {
  const int64_t group = kMaxVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const TermRows<kRows, T> rows(tile, row, begin);
  for (int64_t c = 0; c < column_count; c += group) {
    AddTerms<kRows, kMaxVectors>(tile, rows.terms, term_count, columns + c, rows.out + c,
                                 tile.adds || begin > 0);
  }
}

// The last columns, from the first of them on.
template <typename T, typename S>
HWY_INLINE void MultiplyLastColumns(const TileArguments<T>& tile, const S* columns, int64_t row,
                                    int64_t begin, int64_t term_count, int64_t c) {
  const int64_t width = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const TermRows<1, T> rows(tile, row, begin);
  const bool adds = tile.adds || begin > 0;
  for (; c + width <= tile.column_count; c += width) {
    AddTerms<1, 1>(tile, rows.terms, term_count, columns + c, rows.out + c, adds);
  }
  for (; c < tile.column_count; ++c) {
    T sum = adds ? rows.out[c] : T{};
    for (int64_t k = 0; k < term_count; ++k) {
      sum += rows.terms[0][k * tile.sum_stride] * Widened(columns[k * tile.column_stride + c]);
    }
    rows.out[c] = sum;
  }
}

// Few sizes of tiles: each takes long to compile.
template <typename T>
void MultiplyWide(const TileArguments<T>& tile) {
  const auto row_count = static_cast<int64_t>(tile.row_offsets.size());
  const int64_t all_terms = tile.runs[0].length;
  const int64_t group = kMaxVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const int64_t whole = tile.column_count / group * group;
  WithElements(tile.columns, [&](const auto* all_columns) HWY_ATTR {
    for (int64_t begin = 0; begin < all_terms; begin += kWideTerms) {
      const int64_t term_count = HWY_MIN(kWideTerms, all_terms - begin);
      const auto* columns = all_columns + begin * tile.column_stride;
      int64_t row = 0;
      for (; row + kWideRows <= row_count; row += kWideRows) {
        MultiplyWideRows<kWideRows>(tile, columns, row, begin, term_count, whole);
      }
      for (; row + 2 <= row_count; row += 2) {
        MultiplyWideRows<2>(tile, columns, row, begin, term_count, whole);
      }
      if (row < row_count) MultiplyWideRows<1>(tile, columns, row, begin, term_count, whole);
      for (row = 0; row < row_count; ++row) {
        MultiplyLastColumns(tile, columns, row, begin, term_count, whole);
      }
    }
  });
}

template <class D>
HWY_INLINE hn::TFromD<D> FoldLanes(D d, hn::Vec<D> lanes) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T elements[HWY_MAX_BYTES / sizeof(T)] = {};
  hn::Store(lanes, d, elements);
  for (size_t half = hn::Lanes(d) / 2; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; ++lane) elements[lane] += elements[lane + half];
  }
  return elements[0];
}

// Sums of kRows rows with kColumns columns, from these rows and columns on. Each is made in two
// vectors of lanes, by turns, whatever the tile: who its neighbours are does not change it.
template <int kRows, int kColumns, typename T, typename S>
HWY_INLINE void DotRows(const DotArguments<T>& dots, const S* all_columns, int64_t row,
                        int64_t column) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  const T* rows[kRows];
  const S* columns[kColumns];
  for (int r = 0; r < kRows; ++r) {
    rows[r] = dots.rows + dots.row_offsets[static_cast<size_t>(row + r)];
  }
  for (int c = 0; c < kColumns; ++c) {
    columns[c] = all_columns + dots.column_offsets[static_cast<size_t>(column + c)];
  }
  V even[kRows][kColumns], odd[kRows][kColumns];
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) even[r][c] = odd[r][c] = hn::Zero(d);
  }
  const auto add = [&](V(&sums)[kRows][kColumns], int64_t k) HWY_ATTR {
    V values[kColumns];
    for (int c = 0; c < kColumns; ++c) values[c] = LoadWide(d, columns[c] + k);
    for (int r = 0; r < kRows; ++r) {
      const V factor = hn::LoadU(d, rows[r] + k);
      for (int c = 0; c < kColumns; ++c) {
        sums[r][c] = AddProduct(d, factor, values[c], sums[r][c]);
      }
    }
  };
  int64_t k = 0;
  for (; k + 2 * width <= dots.count; k += 2 * width) {
    // What follows, if columns lie one behind the other: the processor sees too many short streams.
    for (int c = 0; c < kColumns; ++c) hwy::Prefetch(columns[c] + k + kColumns * dots.count);
    add(even, k);
    add(odd, k + width);
  }
  if (k + width <= dots.count) {
    add(even, k);
    k += width;
  }
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      T sum = FoldLanes(d, hn::Add(even[r][c], odd[r][c]));
      for (int64_t i = k; i < dots.count; ++i) sum += rows[r][i] * Widened(columns[c][i]);
      dots.out[(row + r) * dots.out_stride + column + c] = sum;
    }
  }
}

template <int kRows, typename T, typename S>
HWY_INLINE void DotColumns(const DotArguments<T>& dots, const S* columns, int64_t row,
                           int64_t begin, int64_t end) {
  constexpr int kColumns = kHasManyRegisters ? (kRows > 3 ? 3 : 4) : (kRows > 1 ? 2 : 4);
  int64_t column = begin;
  for (; column + kColumns <= end; column += kColumns) {
    DotRows<kRows, kColumns>(dots, columns, row, column);
  }
  // Few sizes of tiles: each takes long to compile.
  for (; column < end; ++column) {
    for (int r = 0; r < kRows; ++r) DotRows<1, 1>(dots, columns, row + r, column);
  }
}

// `rows` of at most kMaxRows; returns them.
template <int64_t kMaxRows, typename T, typename S>
HWY_INLINE int64_t DotSomeRows(const DotArguments<T>& dots, const S* columns, int64_t row,
                               int64_t rows, int64_t begin, int64_t end) {
  if constexpr (kMaxRows > 1) {
    if (rows < kMaxRows) {
      return DotSomeRows<kMaxRows - 1>(dots, columns, row, rows, begin, end);
    }
  }
  DotColumns<kMaxRows>(dots, columns, row, begin, end);
  return kMaxRows;
}

// Both sides go in pieces that stay in the second-level cache, in which each row meets each column.
template <typename T>
void Dot(const DotArguments<T>& dots) {
  constexpr int64_t kMaxRows = kHasManyRegisters ? 4 : 2;
  const int64_t row_count = static_cast<int64_t>(dots.row_offsets.size());
  const int64_t column_count = static_cast<int64_t>(dots.column_offsets.size());
  constexpr int64_t kPieceSize = int64_t{32} << 10;  // elements
  const int64_t piece = HWY_MAX(kPieceSize / HWY_MAX(dots.count, 1) / 12 * 12, 12);
  WithElements(dots.columns, [&](const auto* columns) HWY_ATTR {
    for (int64_t begin = 0; begin < column_count; begin += piece) {
      const int64_t end = HWY_MIN(column_count, begin + piece);
      // In as few turns as there can be, and these alike: columns are read in each.
      for (int64_t row = 0; row < row_count;) {
        const int64_t rows = row_count - row;
        const int64_t turns = (rows + kMaxRows - 1) / kMaxRows;
        row += DotSomeRows<kMaxRows>(dots, columns, row, (rows + turns - 1) / turns, begin, end);
      }
    }
  });
}

// Squares of 16 terms of 16 columns: lines of the cache both ways.
template <typename T>
void Turn(const PanelArguments<T>& panel) {
  constexpr int64_t kSquare = 16;
  const int64_t column_count = static_cast<int64_t>(panel.column_offsets.size());
  WithElements(panel.columns, [&](const auto* columns) HWY_ATTR {
    for (int64_t first = 0; first < panel.width; first += kSquare) {
      const int64_t height = HWY_MIN(kSquare, panel.width - first);
      for (int64_t k = 0; k < panel.count; k += kSquare) {
        const int64_t terms = HWY_MIN(kSquare, panel.count - k);
        T square[kSquare][kSquare] = {};  // [column, term]
        for (int64_t c = 0; c < HWY_MIN(height, column_count - first); ++c) {
          const auto* from = columns + panel.column_offsets[static_cast<size_t>(first + c)] + k;
          if (terms == kSquare) {
            for (int64_t i = 0; i < kSquare; ++i) square[c][i] = Widened(from[i]);
          } else {
            for (int64_t i = 0; i < terms; ++i) square[c][i] = Widened(from[i]);
          }
        }
        T* to = panel.to + k * panel.width + first;
        for (int64_t i = 0; i < terms; ++i, to += panel.width) {
          if (height == kSquare) {
            for (int64_t c = 0; c < kSquare; ++c) to[c] = square[c][i];
          } else {
            for (int64_t c = 0; c < height; ++c) to[c] = square[c][i];
          }
        }
      }
    }
  });
}

template <typename T>
MultiplySmall<T> SmallComplexProducts() {
  if constexpr (std::is_integral_v<T>)
    return nullptr;
  else
    return MultiplySmallProducts</*kIsComplex=*/true, T>;
}

template <typename T>
MatrixKernels<T> Kernels() {
  const int64_t width = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  return {.vector_width = width,
          .panel_width = kMaxVectors * width,
          .tile_height = TileHeight<T>(kMaxVectors),
          .multiply = Multiply<T>,
          .multiply_wide = MultiplyWide<T>,
          .dot = Dot<T>,
          .turn_panel = Turn<T>,
          .multiply_small = MultiplySmallProducts</*kIsComplex=*/false, T>,
          .multiply_small_complex = SmallComplexProducts<T>()};
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
