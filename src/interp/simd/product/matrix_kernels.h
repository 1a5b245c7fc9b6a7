// The innermost loops of matrix products, in the instruction set that this processor has
// (instruction_set.h).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_KERNELS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_KERNELS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "interp/simd/product/carrier_conversion.h"
#include "interp/simd/product/product_dimensions.h"

namespace hlo::simd {

// Elements of an operand: carriers T, or bf16, by their bits, that are widened where they are used,
// or others that are converted a few at a time. bf16 goes with T = float only.
template <typename T>
struct ProductData {
  const T* carriers = nullptr;
  const uint16_t* narrow = nullptr;
  const std::byte* others = nullptr;
  const CarrierConversion* conversion = nullptr;  // of the others

  bool is_narrow() const { return narrow != nullptr; }
  bool is_unconverted() const { return others != nullptr; }
  bool is_valid() const { return carriers != nullptr || is_narrow() || is_unconverted(); }
  friend ProductData operator+(ProductData data, int64_t offset) {
    if (data.is_narrow()) {
      data.narrow += offset;
    } else if (data.is_unconverted()) {
      data.others += offset * data.conversion->element_size();
    } else {
      data.carriers += offset;
    }
    return data;
  }
};

// Asks the caches for so many elements.
template <typename T>
void Fetch(ProductData<T> data, int64_t count) {
  constexpr int64_t kLine = 64;  // bytes
  const std::byte* from = data.others;
  int64_t byte_size = count * static_cast<int64_t>(sizeof(T));
  if (data.is_narrow()) {
    from = reinterpret_cast<const std::byte*>(data.narrow);
    byte_size = count * static_cast<int64_t>(sizeof(uint16_t));
  } else if (data.is_unconverted()) {
    byte_size = count * data.conversion->element_size();
  } else {
    from = reinterpret_cast<const std::byte*>(data.carriers);
  }
  for (int64_t i = 0; i < byte_size; i += kLine) __builtin_prefetch(from + i);
}

// An element of such data as a carrier.
template <typename T>
T Widened(T carrier) {
  return carrier;
}
inline float Widened(uint16_t bf16) {
  return std::bit_cast<float>(static_cast<uint32_t>(bf16) << 16);
}

// Calls function(elements) for `data` as what it is.
template <typename T, typename Function>
void WithElements(ProductData<T> data, const Function& function) {
  if constexpr (std::is_same_v<T, float>) {
    if (data.is_narrow()) return function(data.narrow);
  }
  function(data.carriers);
}

inline constexpr int64_t kMaxWideRows = 16;    // that are multiplied by columns as they lie
inline constexpr int64_t kMaxRowsByMany = 64;  // the same if columns are many
inline constexpr int64_t kMaxDotLines = 48;    // rows or columns, whichever are fewer
inline constexpr int64_t kMostShortLines = 16;

// How many lines at most, by what operands are: memory has less to give of what is narrow, and what
// is converted is better not packed, which takes as much memory again.
struct LineLimit {
  int64_t Of(OperandForm form) const {
    switch (form) {
      case OperandForm::kCarriers:
        return carriers;
      case OperandForm::kNarrow:
        return narrow;
      case OperandForm::kConverted:
        return converted;
    }
    return converted;
  }
  int64_t carriers, narrow, converted;
};

// Consecutive terms of a sum whose elements of the rows are evenly spaced.
struct SumRun {
  int64_t offset;  // of the first one, from where a row begins
  int64_t length;
};

// out[r, c] (+)= sum over k of rows[r, k] * columns[k, c]: some rows and one panel of columns.
template <typename T>
struct TileArguments {
  const T* rows;
  std::span<const int64_t> row_offsets;  // where each row begins
  std::span<const SumRun> runs;          // k counts through all runs
  int64_t sum_stride;                    // from term to term within a run
  ProductData<T> columns;                // [k, c] is columns[k * column_stride + c]
  int64_t column_stride;
  int64_t column_count;  // at most the panel's width; what is read is rounded up to whole vectors
  T* out;
  int64_t out_stride;  // from row to row
  bool adds;           // to what `out` holds
  // As many elements as `columns` has here, which will be multiplied next: the caches are asked for
  // them on the way. Null: nothing is.
  const T* next_columns = nullptr;
  // Whether the rows' numbers are bf16's, widened.
  bool has_bf16_rows = false;
  // Whether multiply_wide asks the caches for the terms that follow those it multiplies.
  bool asks_ahead = false;
};

template <typename T>
using MultiplyTile = void (*)(const TileArguments<T>&);

// out[r, c] = sum over k of rows[r, k] * columns[c, k]: the terms of both sides lie side by side.
template <typename T>
struct DotArguments {
  const T* rows;
  std::span<const int64_t> row_offsets;  // where each row begins
  ProductData<T> columns;
  std::span<const int64_t> column_offsets;
  int64_t count;  // of terms
  T* out;
  int64_t out_stride;  // from row to row
};

template <typename T>
using DotTile = void (*)(const DotArguments<T>&);

// from[c][k] for `width` columns of `count` terms becomes to[k * width + c].
template <typename T>
struct PanelArguments {
  ProductData<T> columns;
  std::span<const int64_t> column_offsets;
  int64_t count;  // of terms, side by side
  T* to;
  int64_t width;  // at least as many as there are columns
};

template <typename T>
using TurnPanel = void (*)(const PanelArguments<T>&);

// columns[k * stride + c] becomes term `first + k` of column c: to[c / panel_width * panel_pitch +
// (first + k) * width + c % panel_width]. The columns lie side by side; `width` is the panel's,
// that of the last one in whole vectors, where 0 stands for what is beyond the columns.
template <typename T>
struct LineArguments {
  ProductData<T> columns;
  int64_t stride;
  int64_t count;  // of terms
  int64_t first;  // number of the first of them
  int64_t column_count;
  T* to;
  int64_t panel_pitch;  // from panel to panel
  int64_t last_width;   // of a panel that is not whole
};

template <typename T>
using PackLines = void (*)(const LineArguments<T>&);

// out[b, r, c] = sum over k of rows[b, r, k] * columns[b, k, c], each of which is one dimension:
// many products that are so small that finding their parts takes longer than they do, 3x3 matrices,
// say.
template <typename T>
struct SmallProducts {
  const T* rows = nullptr;
  const T* columns = nullptr;
  T* out = nullptr;
  ProductDimension batch, row, sum, column;
};

template <typename T>
using MultiplySmall = void (*)(const SmallProducts<T>&);

template <typename T>
struct MatrixKernels {
  int64_t vector_width;  // elements
  int64_t panel_width;
  int64_t tile_height;  // rows that are multiplied by a panel at a time
  // Up to so many rows, or lines of either side, are multiplied by the others as they lie, by
  // multiply_wide and by `dot`. With more it is faster to pack columns; where registers are few,
  // tiles are small, and it is so with a few rows already.
  LineLimit most_wide_rows, most_dot_lines;
  // The first of these for columns that are many, and must be packed in every run otherwise.
  LineLimit most_rows_by_many;
  // Sums of up to so many terms are short: to pack columns for them takes as long as to multiply by
  // kMostShortLines.
  int64_t most_short_terms;
  int64_t MostDotLines(OperandForm form, int64_t term_count) const {
    const int64_t least = term_count <= most_short_terms ? kMostShortLines : 0;
    return std::max(most_dot_lines.Of(form), least);
  }
  // Columns are carriers.
  MultiplyTile<T> multiply;
  // The same of any number of columns, and of one run of the sum, for up to kMaxRowsByMany rows,
  // whose terms are brought together (RowLines) if there is more than one. What it reads of the
  // columns are some lines at a time, from their begins to their ends: memory is what limits.
  MultiplyTile<T> multiply_wide;
  DotTile<T> dot;
  TurnPanel<T> turn_panel;
  PackLines<T> pack_lines;
  MultiplySmall<T> multiply_small;
  // The same of complex numbers whose parts are Ts; strides count numbers. Null for integers.
  MultiplySmall<T> multiply_small_complex;
};

// T: float, double, uint32_t, uint64_t.
template <typename T>
const MatrixKernels<T>& GetMatrixKernels();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_KERNELS_H_
