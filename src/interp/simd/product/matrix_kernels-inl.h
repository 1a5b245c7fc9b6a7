// One tile is some rows by a few vectors of columns, whose sums stay in registers while k runs. How
// many rows that are depends on the number of registers.
#include "interp/simd/product/matrix_kernels.h"

#include <algorithm>

// No guard: the file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/product/matrix_kernels-inl.h"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/product/few_rows-inl.h"
#include "interp/simd/product/load_wide-inl.h"
#include "interp/simd/product/small_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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

// --- Columns as they lie

template <typename T>
void MultiplyWide(const TileArguments<T>& tile) {
  WithElements(tile.columns,
               [&](const auto* columns) HWY_ATTR { MultiplyWideColumns(tile, columns); });
}

template <typename T>
void Dot(const DotArguments<T>& dots) {
  WithElements(dots.columns, [&](const auto* columns) HWY_ATTR { DotAllColumns(dots, columns); });
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

MatrixKernels<HLO_CARRIER> CarrierKernels() { return Kernels<HLO_CARRIER>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(CarrierKernels);

template <>
const MatrixKernels<HLO_CARRIER>& GetMatrixKernels() {
  static const MatrixKernels<HLO_CARRIER> kernels = HWY_DYNAMIC_DISPATCH(CarrierKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
