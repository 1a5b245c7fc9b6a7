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
#include "interp/simd/product/line_dots-inl.h"
#include "interp/simd/product/load_wide-inl.h"
#include "interp/simd/product/small_products-inl.h"
#include "interp/simd/product/wide_columns-inl.h"
#include "interp/simd/vector/turned_squares-inl.h"

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
  if constexpr (kRows > 1)
    MultiplyRowsFrom<(kRows > 4 ? 4 : kRows > 2 ? 2 : 1), kVectors>(tile, row);
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

// All terms of the columns from the first on that fill a vector.
template <typename T, typename S>
HWY_INLINE void TurnVector(const S* columns, const int64_t* offsets, int64_t count, T* to,
                           int64_t width) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kTerms = kSquare<T>;
  int64_t k = 0;
  for (; k + kTerms <= count; k += kTerms) {
    TurnSquares<T>(
        [&](auto block, int64_t c) HWY_ATTR { return LoadWide(block, columns + offsets[c] + k); },
        [&](int64_t i, auto vector) HWY_ATTR { hn::StoreU(vector, d, to + (k + i) * width); });
  }
  for (; k < count; ++k) {
    for (int64_t c = 0; c < static_cast<int64_t>(hn::Lanes(d)); ++c) {
      to[k * width + c] = Widened(columns[offsets[c] + k]);
    }
  }
}

template <typename T>
void Turn(const PanelArguments<T>& panel) {
  const auto vector_width = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const int64_t column_count = static_cast<int64_t>(panel.column_offsets.size());
  WithElements(panel.columns, [&](const auto* columns) HWY_ATTR {
    int64_t c = 0;
    for (; c + vector_width <= column_count; c += vector_width) {
      TurnVector(columns, panel.column_offsets.data() + c, panel.count, panel.to + c, panel.width);
    }
    if (c == panel.width) return;
    for (int64_t k = 0; k < panel.count; ++k) {
      T* to = panel.to + k * panel.width;
      for (int64_t i = c; i < column_count; ++i) {
        to[i] = Widened(columns[panel.column_offsets[static_cast<size_t>(i)] + k]);
      }
      for (int64_t i = column_count; i < panel.width; ++i) to[i] = T{};
    }
  });
}

// A panel of a line. Asks the caches for that of a line further on, if it is `ahead` elements away,
// not 0.
template <typename T, typename S>
HWY_INLINE void PackPanel(const S* from, int64_t column_count, int64_t ahead, T* to) {
  const hn::ScalableTag<T> d;
  const auto vector_width = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kLine = 64 / sizeof(S);
  if (ahead != 0) {
    for (int64_t c = 0; c < column_count; c += kLine) hwy::Prefetch(from + ahead + c);
  }
  if (column_count == kMaxVectors * vector_width) {
    for (int v = 0; v < kMaxVectors; ++v) {
      hn::StoreU(LoadWide(d, from + v * vector_width), d, to + v * vector_width);
    }
    return;
  }
  int64_t c = 0;
  for (; c + vector_width <= column_count; c += vector_width) {
    hn::StoreU(LoadWide(d, from + c), d, to + c);
  }
  if (c == column_count) return;
  for (const int64_t end = c + vector_width; c < end; ++c) {
    to[c] = c < column_count ? Widened(from[c]) : T{};
  }
}

template <typename T>
void Pack(const LineArguments<T>& lines) {
  const int64_t width = kMaxVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const int64_t whole = lines.column_count / width * width;
  constexpr int64_t kLinesAhead = 4;
  // Processors fetch lines ahead, but where each of them begins a page.
  const int64_t ahead = whole > width ? kLinesAhead * lines.stride : 0;
  WithElements(lines.columns, [&](const auto* from) HWY_ATTR {
    for (int64_t k = lines.first; k < lines.first + lines.count; ++k, from += lines.stride) {
      T* to = lines.to + k * width;
      for (int64_t c = 0; c < whole; c += width, to += lines.panel_pitch) {
        PackPanel(from + c, width, ahead, to);
      }
      if (whole == lines.column_count) continue;
      PackPanel(from + whole, lines.column_count - whole, ahead,
                to + k * (lines.last_width - width));
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
  return {
      .vector_width = width,
      .panel_width = kMaxVectors * width,
      .tile_height = TileHeight<T>(kMaxVectors),
      .most_wide_rows = {kHasManyRegisters ? kMaxWideRows : kMaxWideRows / 2, kMaxWideRows,
                         kMaxWideRows},
      .most_dot_lines = {8, kHasManyRegisters ? 16 : 24, kMaxDotLines},
      .most_rows_by_many = {kHasManyRegisters ? kMaxRowsByMany : kMaxRowsByMany / 2,
                            kHasManyRegisters ? kMaxWideRows : kMaxRowsByMany / 2, kMaxWideRows},
      .most_short_terms = kHasManyRegisters ? 16 * width : 0,
      .multiply = Multiply<T>,
      .multiply_wide = MultiplyWide<T>,
      .dot = Dot<T>,
      .turn_panel = Turn<T>,
      .pack_lines = Pack<T>,
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
