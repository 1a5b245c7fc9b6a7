// multiply_wide of matrix_kernels.h, compiled once for each instruction set (Highway's pattern for
// such headers: the guard toggles). Columns lie side by side and are read as they lie, by all rows
// at a time: memory is what limits a few of these. Sums are made in the order of their terms.
#if defined(HLOKIT_INTERP_SIMD_PRODUCT_WIDE_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_PRODUCT_WIDE_COLUMNS_INL_H_
#undef HLOKIT_INTERP_SIMD_PRODUCT_WIDE_COLUMNS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_PRODUCT_WIDE_COLUMNS_INL_H_
#endif

#include <cstring>

#include "hwy/highway.h"
#include "interp/simd/product/load_wide-inl.h"
#include "interp/simd/product/matrix_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kWideRows = 4;   // that share what is loaded
constexpr int kWideTerms = 8;  // whose rows processors fetch ahead side by side
// Of more rows: terms for which sums are in registers, and how much of a term is multiplied by all
// rows before what is beside it.
constexpr int64_t kManyRowsTerms = 32;
constexpr int64_t kPieceByteSize = 512;
constexpr int64_t kLeastCopyingRows = 12;
constexpr int64_t kLongLine = 512;  // columns

// Some terms of some columns, which lie side by side in memory or in a copy.
template <typename T, typename S>
struct WideTerms {
  const TileArguments<T>& tile;
  const S* columns;
  int64_t column_stride, column_count;
  int64_t begin, count;  // terms
  // Of these columns.
  T* sums;
  int64_t sum_stride;
  // So many terms that follow: the caches are asked for the same columns of them.
  int64_t asked = 0;

  bool adds() const { return tile.adds || begin > 0; }
  int64_t row_count() const { return static_cast<int64_t>(tile.row_offsets.size()); }
};

// The same for rows from one on, in variables that no store to sums may change.
template <typename T, typename S>
struct RowTerms {
  RowTerms(const WideTerms<T, S>& terms, int64_t row)
      : factors(terms.tile.rows + terms.tile.row_offsets[static_cast<size_t>(row)] +
                terms.tile.runs[0].offset + terms.begin * terms.tile.sum_stride),
        columns(terms.columns),
        sums(terms.sums + row * terms.sum_stride),
        factor_stride(terms.tile.sum_stride),
        column_stride(terms.column_stride),
        column_count(terms.column_count),
        sum_stride(terms.sum_stride),
        count(terms.count),
        adds(terms.adds()) {}

  const T* factors;  // those of the rows behind the first lie behind its own (RowLines)
  const S* columns;
  T* sums;
  int64_t factor_stride, column_stride, column_count, sum_stride, count;
  bool adds;
};

// sums[r, c] (+)= sum over the terms of factors[k, r] * columns[k, c], for kVectors of columns from
// `column` on. They are copied, as carriers, if kCopies. There are kTerms terms, unless it is 0.
template <int kRows, int kVectors, int kTerms, bool kCopies, typename T, typename S>
HWY_INLINE void AddTerms(const RowTerms<T, S>& terms, int64_t column, T* HWY_RESTRICT copy) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  const T* HWY_RESTRICT factors = terms.factors;
  const S* HWY_RESTRICT columns = terms.columns + column;
  T* HWY_RESTRICT out = terms.sums + column;
  V sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = terms.adds ? hn::LoadU(d, out + r * terms.sum_stride + v * width) : hn::Zero(d);
    }
  }
  const int64_t count = kTerms > 0 ? kTerms : terms.count;
  for (int64_t k = 0; k < count;
       ++k, factors += terms.factor_stride, columns += terms.column_stride) {
    V values[kVectors];
    for (int v = 0; v < kVectors; ++v) values[v] = LoadWide(d, columns + v * width);
    if constexpr (kCopies) {
      T* to = copy + k * terms.column_count + column;
      for (int v = 0; v < kVectors; ++v) hn::StoreU(values[v], d, to + v * width);
    }
    for (int r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, factors[r]);
      for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = AddProduct(d, factor, values[v], sums[r][v]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], d, out + r * terms.sum_stride + v * width);
    }
  }
}

// Asks the caches for so many columns, from `column` on, of terms that follow.
template <typename T, typename S>
HWY_INLINE void AskFor(const WideTerms<T, S>& terms, int64_t column, int64_t count) {
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(S));
  for (int64_t k = terms.count; k < terms.count + terms.asked; ++k) {
    const S* const line = terms.columns + k * terms.column_stride + column;
    for (int64_t c = 0; c < count; c += kLine) __builtin_prefetch(line + c, 0, 2);
  }
}

// Columns fill groups of as many vectors, kVectors of which are multiplied at a time where there
// are registers for that.
template <int kRows, int kVectors, int kTerms, bool kCopies = false, typename T, typename S>
HWY_INLINE void MultiplyWideRows(const WideTerms<T, S>& terms, int64_t row, T* copy = nullptr) {
  constexpr int kMost = kRows > 2 && !kHasManyRegisters ? kMaxVectors / 2 : kMaxVectors;
  constexpr int kAtOnce = HWY_MIN(kVectors, kMost);
  const int64_t group = kAtOnce * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const RowTerms<T, S> some(terms, row);
  int64_t c = 0;
  // Lines of the cache, once each: terms that are a power of two apart push each other out of it.
  if constexpr (kRows == 1 && kVectors == kMaxVectors && sizeof(T) == 4 * sizeof(S)) {
    for (; c + 2 * group <= some.column_count; c += 2 * group) {
      if (terms.asked > 0) AskFor(terms, c, 2 * group);
      AddTerms<1, 2 * kVectors, kTerms, false>(some, c, copy);
    }
  }
  for (; c < some.column_count; c += group) {
    if (terms.asked > 0) AskFor(terms, c, group);
    AddTerms<kRows, kAtOnce, kTerms, kCopies>(some, c, copy);
  }
}

// Of up to kWideRows rows. Few sizes of tiles: each takes long to compile.
template <int kVectors, int kTerms = 0, typename T, typename S>
HWY_INLINE void MultiplySomeRows(const WideTerms<T, S>& terms, int64_t row, int64_t count) {
  if (count == kWideRows) return MultiplyWideRows<kWideRows, kVectors, kTerms>(terms, row);
  if (count >= 2) MultiplyWideRows<2, kVectors, kTerms>(terms, row);
  if (count % 2 != 0) MultiplyWideRows<1, kVectors, kTerms>(terms, row + count - 1);
}

template <int kVectors, int kTerms = 0, typename T, typename S>
HWY_INLINE void MultiplyAllRows(const WideTerms<T, S>& terms) {
  WideTerms<T, S> some = terms;
  for (int64_t row = 0; row < terms.row_count(); row += kWideRows) {
    MultiplySomeRows<kVectors, kTerms>(some, row, HWY_MIN(kWideRows, terms.row_count() - row));
    some.asked = 0;  // for what the first rows asked
  }
}

// The first rows copy the columns, which the others find in the first-level cache. Meanwhile the
// caches are asked for `next`, the columns that follow, if there are any: in the second level,
// since terms that are a power of two apart push each other out of the first.
template <typename T, typename S>
HWY_INLINE void MultiplyManyRows(const WideTerms<T, S>& terms, const S* next) {
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(S));
  alignas(64) T copy[kManyRowsTerms * kPieceByteSize / sizeof(T)];
  MultiplyWideRows<kWideRows, kMaxVectors, /*kTerms=*/0, /*kCopies=*/true>(terms, 0, copy);
  const WideTerms<T, T> copied = {terms.tile,  copy,        terms.column_count, terms.column_count,
                                  terms.begin, terms.count, terms.sums,         terms.sum_stride};
  const int64_t row_count = terms.row_count();
  int64_t fetched = 0;
  for (int64_t row = kWideRows; row < row_count; row += kWideRows) {
    const int64_t end = HWY_MIN(row + kWideRows, row_count);
    const int64_t fetches = next == nullptr ? 0 : terms.count * end / row_count;
    for (; fetched < fetches; ++fetched) {
      const S* const line = next + fetched * terms.column_stride;
      for (int64_t c = 0; c < terms.column_count; c += kLine) __builtin_prefetch(line + c, 0, 2);
    }
    MultiplySomeRows<kMaxVectors>(copied, row, end - row);
  }
}

// So few sums that a vector of columns costs more.
template <typename T, typename S>
HWY_INLINE void AddTermsOneByOne(const WideTerms<T, S>& terms) {
  for (int64_t row = 0; row < terms.row_count(); ++row) {
    const RowTerms<T, S> some(terms, row);
    for (int64_t c = 0; c < some.column_count; ++c) {
      T sum = some.adds ? some.sums[c] : T{};
      for (int64_t k = 0; k < some.count; ++k) {
        sum += some.factors[k * some.factor_stride] *
               Widened(some.columns[k * some.column_stride + c]);
      }
      some.sums[c] = sum;
    }
  }
}

// Columns that are fewer than a vector has lanes, which zeros fill up.
template <typename T, typename S>
HWY_INLINE void MultiplyPartOfVector(const WideTerms<T, S>& terms) {
  constexpr int64_t kFewSums = 4;
  const int64_t column_count = terms.column_count, row_count = terms.row_count();
  if (row_count * column_count <= kFewSums) return AddTermsOneByOne(terms);
  const hn::ScalableTag<T> d;
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(d));
  alignas(64) T columns[kManyRowsTerms * kWidth];
  for (int64_t k = 0; k < terms.count; ++k) {
    T* const to = columns + k * kWidth;
    hn::Store(hn::Zero(d), d, to);
    for (int64_t c = 0; c < column_count; ++c) {
      to[c] = static_cast<T>(Widened(terms.columns[k * terms.column_stride + c]));
    }
  }
  alignas(64) T sums[kMaxRowsByMany * kWidth];
  const auto byte_size = static_cast<size_t>(column_count) * sizeof(T);
  for (int64_t r = 0; terms.adds() && r < row_count; ++r) {
    std::memcpy(sums + r * kWidth, terms.sums + r * terms.sum_stride, byte_size);
  }
  MultiplyAllRows<1>(
      WideTerms<T, T>{terms.tile, columns, kWidth, kWidth, terms.begin, terms.count, sums, kWidth});
  for (int64_t r = 0; r < row_count; ++r) {
    std::memcpy(terms.sums + r * terms.sum_stride, sums + r * kWidth, byte_size);
  }
}

// The last columns, fewer than a group of vectors.
template <typename T, typename S>
HWY_INLINE void MultiplyLastColumns(const WideTerms<T, S>& terms) {
  const int64_t width = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  WideTerms<T, S> some = terms;
  some.column_count = terms.column_count / width * width;
  if (some.column_count > 0) MultiplyAllRows<1>(some);
  if (some.column_count == terms.column_count) return;
  some.columns += some.column_count;
  some.sums += some.column_count;
  some.column_count = terms.column_count - some.column_count;
  MultiplyPartOfVector(some);
}

// Columns that fill groups, some terms of them. `has_next`: others follow.
template <typename T, typename S>
HWY_INLINE void MultiplyPieces(const WideTerms<T, S>& terms, bool has_next) {
  if (terms.row_count() <= kWideRows) {
    if (terms.count == kWideTerms) return MultiplyAllRows<kMaxVectors, kWideTerms>(terms);
    return MultiplyAllRows<kMaxVectors>(terms);
  }
  constexpr auto kPiece = kPieceByteSize / static_cast<int64_t>(sizeof(T));
  WideTerms<T, S> piece = terms;
  for (int64_t c = 0; c < terms.column_count; c += kPiece) {
    piece.columns = terms.columns + c;
    piece.column_count = HWY_MIN(kPiece, terms.column_count - c);
    piece.sums = terms.sums + c;
    if (terms.row_count() < kLeastCopyingRows) {
      MultiplyAllRows<kMaxVectors>(piece);
    } else if (c + kPiece < terms.column_count) {
      MultiplyManyRows(piece, piece.columns + kPiece);
    } else {
      MultiplyManyRows(piece,
                       has_next ? terms.columns + terms.count * terms.column_stride : nullptr);
    }
  }
}

template <typename T, typename S>
HWY_INLINE void MultiplyWideColumns(const TileArguments<T>& tile, const S* columns) {
  const int64_t all_terms = tile.runs[0].length;
  const int64_t group = kMaxVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const int64_t whole = tile.column_count / group * group;
  const bool is_read_once = tile.row_offsets.size() <= kWideRows;
  const int64_t at_once =
      is_read_once && tile.column_count >= kLongLine ? int64_t{kWideTerms} : kManyRowsTerms;
  const bool asks = std::ssize(tile.row_offsets) < kLeastCopyingRows && tile.asks_ahead;
  for (int64_t begin = 0; begin < all_terms; begin += at_once) {
    WideTerms<T, S> terms = {.tile = tile,
                             .columns = columns + begin * tile.column_stride,
                             .column_stride = tile.column_stride,
                             .column_count = whole,
                             .begin = begin,
                             .count = HWY_MIN(at_once, all_terms - begin),
                             .sums = tile.out,
                             .sum_stride = tile.out_stride};
    const int64_t next_count = HWY_MIN(at_once, all_terms - begin - terms.count);
    if (asks) terms.asked = next_count;
    MultiplyPieces(terms, /*has_next=*/next_count > 0);
    if (whole == tile.column_count) continue;
    terms.columns += whole;
    terms.column_count = tile.column_count - whole;
    terms.sums += whole;
    MultiplyLastColumns(terms);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_WIDE_COLUMNS_INL_H_
