// Columns become carriers where the kernel loads them, if vectors have an instruction for that
// (narrow_kernels.h). Others are converted to a block that stays in the first-level cache and is
// multiplied from there.
#include "interp/simd/product/converted_product.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "interp/simd/instruction_set.h"
#include "interp/simd/product/carrier_conversion.h"
#include "interp/simd/product/narrow_kernels.h"
#include "interp/simd/product/paired_rows.h"
#include "support/check.h"

namespace hlo::simd {
namespace {

// With fewer rows memory limits.
constexpr size_t kPairedRows = 4;
// What is converted at a time.
constexpr int64_t kTerms = 8;
constexpr int64_t kColumns = 512;
constexpr int64_t kDotElements = int64_t{1} << 13;

// Of columns that are kept in `columns.others`; null where they are converted to a block.
template <typename T>
NarrowKernels<T> KernelsFor(ProductData<T> columns) {
  const auto type = columns.conversion->kept_type();
  return type ? GetNarrowKernels<T>(*type) : NarrowKernels<T>{};
}

// Columns that are converted together, of so many terms.
int64_t DotLines(int64_t column_count, int64_t term_count) {
  const int64_t lines = kDotElements / std::max<int64_t>(1, term_count);
  return std::clamp<int64_t>(lines, 1, std::min(kDotColumns, column_count));
}

// Some terms of some columns at a time become carriers, in the caches; the next terms are asked for
// meanwhile: processors fetch nothing ahead of lines that short.
template <typename T>
void MultiplyConverted(const TileArguments<T>& tile, T* block) {
  const int64_t all_terms = tile.runs[0].length;
  for (int64_t begin = 0; begin < all_terms; begin += kTerms) {
    const SumRun terms = {tile.runs[0].offset + begin * tile.sum_stride,
                          std::min(kTerms, all_terms - begin)};
    TileArguments<T> part = tile;
    part.runs = {&terms, 1};
    part.adds = tile.adds || begin > 0;
    part.columns = {block};
    for (int64_t c = 0; c < tile.column_count; c += kColumns) {
      part.column_count = std::min(kColumns, tile.column_count - c);
      part.column_stride = part.column_count;
      part.out = tile.out + c;
      for (int64_t k = 0; k < terms.length; ++k) {
        const ProductData<T> line = tile.columns + ((begin + k) * tile.column_stride + c);
        if (begin + kTerms + k < all_terms) {
          Fetch(line + kTerms * tile.column_stride, part.column_count);
        }
        line.conversion->Convert(line.others,
                                 reinterpret_cast<std::byte*>(block + k * part.column_stride),
                                 part.column_count);
      }
      GetMatrixKernels<T>().multiply_wide(part);
    }
  }
}

// As many columns at a time as find room, each of which becomes a line of carriers.
template <typename T>
void DotConverted(DotArguments<T> dots, T* block) {
  const auto all_columns = static_cast<int64_t>(dots.column_offsets.size());
  const int64_t at_once = DotLines(all_columns, dots.count);
  const ProductData<T> columns = dots.columns;
  const std::span<const int64_t> offsets = dots.column_offsets;
  int64_t line_offsets[kDotColumns];
  for (int64_t i = 0; i < at_once; ++i) line_offsets[i] = i * dots.count;
  dots.columns = {block};
  for (int64_t c = 0; c < all_columns; c += at_once, dots.out += at_once) {
    const int64_t count = std::min(at_once, all_columns - c);
    for (int64_t i = 0; i < count; ++i) {
      const ProductData<T> line = columns + offsets[static_cast<size_t>(c + i)];
      line.conversion->Convert(line.others, reinterpret_cast<std::byte*>(block + line_offsets[i]),
                               dots.count);
    }
    dots.column_offsets = {line_offsets, static_cast<size_t>(count)};
    GetMatrixKernels<T>().dot(dots);
  }
}

}  // namespace

int64_t WideBlockSize(int64_t column_count) { return kTerms * std::min(kColumns, column_count); }

int64_t DotBlockSize(int64_t column_count, int64_t term_count) {
  return DotLines(column_count, term_count) * term_count;
}

template <typename T>
bool TakesWideBlock(ProductData<T> columns) {
  return columns.is_unconverted() && KernelsFor(columns).multiply_wide == nullptr;
}

template <typename T>
bool TakesDotBlock(ProductData<T> columns, int64_t row_count) {
  return columns.is_unconverted() && row_count > KernelsFor(columns).most_dot_rows;
}

template <typename T>
void MultiplyWide(const TileArguments<T>& tile, T* block) {
  HLO_CHECK(std::ssize(tile.row_offsets) <= kMaxRowsByMany);
  if constexpr (std::is_same_v<T, float>) {
    if (tile.has_bf16_rows && tile.columns.is_narrow() && tile.row_offsets.size() >= kPairedRows &&
        HasBf16Vectors()) {
      return MultiplyPairs(tile);
    }
  }
  if (!tile.columns.is_unconverted()) return GetMatrixKernels<T>().multiply_wide(tile);
  if (TakesWideBlock(tile.columns)) return MultiplyConverted(tile, block);
  KernelsFor(tile.columns).multiply_wide(tile);
}

template <typename T>
void Dot(const DotArguments<T>& dots, T* block) {
  if (!dots.columns.is_unconverted()) return GetMatrixKernels<T>().dot(dots);
  const auto row_count = static_cast<int64_t>(dots.row_offsets.size());
  if (TakesDotBlock(dots.columns, row_count)) return DotConverted(dots, block);
  KernelsFor(dots.columns).dot(dots);
}

#define HLO_CARRIER(T)                                        \
  template bool TakesWideBlock<T>(ProductData<T>);            \
  template bool TakesDotBlock<T>(ProductData<T>, int64_t);    \
  template void MultiplyWide<T>(const TileArguments<T>&, T*); \
  template void Dot<T>(const DotArguments<T>&, T*);
HLO_CARRIER(float)
HLO_CARRIER(double)
HLO_CARRIER(uint32_t)
HLO_CARRIER(uint64_t)
#undef HLO_CARRIER

}  // namespace hlo::simd
