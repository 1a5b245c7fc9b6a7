// Both sides are taken as they lie: a vector of terms of some columns is loaded once for some rows.
// A sum is made of the lanes of a vector, in an order of its own: who its neighbours are does not
// change it.
#include "interp/simd/product/line_products.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "interp/simd/instruction_set.h"
#include "interp/simd/product/byte_products.h"
#include "interp/simd/product/neighbour_products.h"
#include "interp/simd/product/wide_rows.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

// Terms from which on the ends of lines are not most of the time.
constexpr int64_t kLeastTerms = 64;

// One row takes no longer widened than memory does.
bool AreWorthLines(int64_t row_count, int64_t term_count) {
  return row_count >= 2 && term_count >= kLeastTerms;
}

}  // namespace

template <>
bool HasLineProducts<float>(std::optional<ElementType> rows, std::optional<ElementType> columns,
                            int64_t row_count, int64_t term_count) {
  return AreWorthLines(row_count, term_count) && rows == ElementType::kBf16 &&
         columns == ElementType::kBf16 && HasBf16Vectors();
}

template <>
bool HasLineProducts<uint32_t>(std::optional<ElementType> rows, std::optional<ElementType> columns,
                               int64_t row_count, int64_t term_count) {
  return AreWorthLines(row_count, term_count) && rows == ElementType::kS8 &&
         columns == ElementType::kS8 && AvailableByteProducts() == ByteProducts::kFour;
}

#if defined(__x86_64__)

namespace {

constexpr int64_t kTileRows = 8;  // at most

// Halves are extracted with masks: GCC 12 takes what extracts without one for uninitialized.
struct Pairs {
  using Element = uint16_t;
  using Sum = float;
  using Vector = __m512;
  static constexpr int64_t kTerms = 32;

  HLOKIT_NEIGHBOURS static inline __m512i Load(const Element* from, uint64_t mask) {
    return _mm512_maskz_loadu_epi16(static_cast<__mmask32>(mask), from);
  }
  HLOKIT_NEIGHBOURS static inline __m512i LoadColumn(const Element* from, uint64_t mask) {
    return Load(from, mask);
  }
  HLOKIT_NEIGHBOURS static inline void Add(Vector& sums, __m512i row, __m512i column) {
    AddPairProducts(sums, row, column);
  }
  HLOKIT_NEIGHBOURS static inline __m128 FoldToBlock(Vector lanes) {
    const __m256 half = _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, lanes, 0),
                                      _mm512_maskz_extractf32x8_ps(0xff, lanes, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }
  HLOKIT_NEIGHBOURS static inline __m128 FoldTwo(__m128 a, __m128 b) { return _mm_hadd_ps(a, b); }
};

// The instruction takes one side as unsigned: columns as 128 more than they are, which adds 128
// times the sum of a row to all of its sums. Modulo 2^32 that is exact.
struct Bytes {
  using Element = std::byte;
  using Sum = uint32_t;
  using Vector = __m512i;
  static constexpr int64_t kTerms = 64;

  HLOKIT_NEIGHBOURS static inline __m512i Load(const Element* from, uint64_t mask) {
    return _mm512_maskz_loadu_epi8(mask, from);
  }
  HLOKIT_NEIGHBOURS static inline __m512i LoadColumn(const Element* from, uint64_t mask) {
    return _mm512_xor_si512(Load(from, mask), _mm512_set1_epi8(-128));
  }
  HLOKIT_NEIGHBOURS static inline void Add(Vector& sums, __m512i row, __m512i column) {
    AddFourProducts(sums, column, row);
  }
  HLOKIT_NEIGHBOURS static inline __m128i FoldToBlock(Vector lanes) {
    const __m256i half = _mm256_add_epi32(_mm512_maskz_extracti32x8_epi32(0xff, lanes, 0),
                                          _mm512_maskz_extracti32x8_epi32(0xff, lanes, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  }
  HLOKIT_NEIGHBOURS static inline __m128i FoldTwo(__m128i a, __m128i b) {
    return _mm_hadd_epi32(a, b);
  }
};

// Rows and columns begin where their offsets say.
template <class Kind>
struct Lines {
  const typename Kind::Element *rows, *columns;
  std::span<const int64_t> row_offsets, column_offsets;
  int64_t count;  // of terms
  typename Kind::Sum* out;
  int64_t out_stride;  // from row to row
  // What is to be taken off the sums of each row; none where it is null.
  const typename Kind::Sum* excess;
};

template <class Kind, int kRows, int kColumns>
struct Tile {
  const typename Kind::Element* rows[kRows];
  const typename Kind::Element* columns[kColumns];
  typename Kind::Vector sums[kRows][kColumns];
};

// Terms from `k` on that `mask` has.
template <class Kind, int kRows, int kColumns>
HLOKIT_NEIGHBOURS inline __attribute__((always_inline)) void AddTerms(
    Tile<Kind, kRows, kColumns>& tile, int64_t k, uint64_t mask) {
  __m512i columns[kColumns];
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) columns[c] = Kind::LoadColumn(tile.columns[c] + k, mask);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const __m512i row = Kind::Load(tile.rows[r] + k, mask);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) Kind::Add(tile.sums[r][c], row, columns[c]);
  }
}

// The sums of the lanes of up to four vectors.
template <class Kind, int kCount>
HLOKIT_NEIGHBOURS inline auto Fold(const typename Kind::Vector (&lanes)[kCount]) {
  const auto block = [&](int i) HLOKIT_NEIGHBOURS {
    return i < kCount ? Kind::FoldToBlock(lanes[i]) : decltype(Kind::FoldToBlock(lanes[0])){};
  };
  return Kind::FoldTwo(Kind::FoldTwo(block(0), block(1)), Kind::FoldTwo(block(2), block(3)));
}

template <class Kind, int kRows, int kColumns>
HLOKIT_NEIGHBOURS void MultiplyTile(const Lines<Kind>& lines, int64_t row, int64_t column) {
  constexpr int64_t kLine = 64;  // bytes
  Tile<Kind, kRows, kColumns> tile;
  for (int r = 0; r < kRows; ++r) {
    tile.rows[r] = lines.rows + lines.row_offsets[static_cast<size_t>(row + r)];
  }
  for (int c = 0; c < kColumns; ++c) {
    tile.columns[c] = lines.columns + lines.column_offsets[static_cast<size_t>(column + c)];
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) tile.sums[r][c] = typename Kind::Vector{};
  }
  // As in line_dots-inl.h.
  const auto* next = reinterpret_cast<const char*>(tile.columns[0] + kColumns * lines.count);
  int64_t k = 0;
  for (; k + Kind::kTerms <= lines.count; k += Kind::kTerms, next += kColumns * kLine) {
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) __builtin_prefetch(next + c * kLine, 0, 2);
    AddTerms(tile, k, ~uint64_t{0});
  }
  if (k < lines.count) AddTerms(tile, k, (uint64_t{1} << (lines.count - k)) - 1);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const auto sums = std::bit_cast<std::array<typename Kind::Sum, 4>>(Fold<Kind>(tile.sums[r]));
    const typename Kind::Sum excess = lines.excess == nullptr ? 0 : lines.excess[row + r];
    typename Kind::Sum* const out = lines.out + (row + r) * lines.out_stride + column;
    for (int c = 0; c < kColumns; ++c) out[c] = sums[static_cast<size_t>(c)] - excess;
  }
}

// Of some rows and the columns from `begin` to `end`.
template <class Kind, int kRows>
void MultiplyColumns(const Lines<Kind>& lines, int64_t row, int64_t begin, int64_t end) {
  constexpr int kColumns = kRows > 6 ? 3 : 4;
  int64_t column = begin;
  for (; column + kColumns <= end; column += kColumns) {
    MultiplyTile<Kind, kRows, kColumns>(lines, row, column);
  }
  for (; column < end; ++column) MultiplyTile<Kind, kRows, 1>(lines, row, column);
}

template <class Kind, int kMost = kTileRows>
void MultiplyRows(const Lines<Kind>& lines, int64_t row, int64_t rows, int64_t begin, int64_t end) {
  if constexpr (kMost > 1) {
    if (rows < kMost) return MultiplyRows<Kind, kMost - 1>(lines, row, rows, begin, end);
  }
  MultiplyColumns<Kind, kMost>(lines, row, begin, end);
}

// Columns go in pieces that stay in the second-level cache, in which they meet all rows.
template <class Kind>
void MultiplyInPieces(const Lines<Kind>& lines) {
  constexpr int64_t kPieceSize = (int64_t{128} << 10) / int64_t{sizeof(typename Kind::Element)};
  constexpr int64_t kWidth = 12;
  const auto row_count = std::ssize(lines.row_offsets);
  const auto column_count = std::ssize(lines.column_offsets);
  const int64_t term_count = std::max<int64_t>(1, lines.count);  // there may be none
  const int64_t piece = std::max(kPieceSize / term_count / kWidth * kWidth, kWidth);
  const int64_t turns = CeilDiv(row_count, kTileRows);
  for (int64_t begin = 0; begin < column_count; begin += piece) {
    const int64_t end = std::min(column_count, begin + piece);
    for (int64_t turn = 0; turn < turns; ++turn) {
      const int64_t row = turn * row_count / turns;
      MultiplyRows(lines, row, (turn + 1) * row_count / turns - row, begin, end);
    }
  }
}

// 128 times the sum of a row.
uint32_t Excess(const std::byte* row, int64_t count) {
  uint32_t sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    sum += static_cast<uint32_t>(static_cast<int32_t>(std::to_integer<int8_t>(row[k])));
  }
  return sum * 128;
}

}  // namespace

void MultiplyLines(ProductData<float> rows, const DotArguments<float>& dots) {
  MultiplyInPieces(Lines<Pairs>{rows.narrow, dots.columns.narrow, dots.row_offsets,
                                dots.column_offsets, dots.count, dots.out, dots.out_stride,
                                nullptr});
}

void MultiplyLines(ProductData<uint32_t> rows, const DotArguments<uint32_t>& dots) {
  HLO_CHECK(std::ssize(dots.row_offsets) <= kMostRows);
  uint32_t excess[kMostRows];
  for (size_t r = 0; r < dots.row_offsets.size(); ++r) {
    excess[r] = Excess(rows.others + dots.row_offsets[r], dots.count);
  }
  MultiplyInPieces(Lines<Bytes>{rows.others, dots.columns.others, dots.row_offsets,
                                dots.column_offsets, dots.count, dots.out, dots.out_stride,
                                excess});
}

#else

void MultiplyLines(ProductData<float>, const DotArguments<float>&) { HLO_UNREACHABLE(); }
void MultiplyLines(ProductData<uint32_t>, const DotArguments<uint32_t>&) { HLO_UNREACHABLE(); }

#endif

}  // namespace hlo::simd
