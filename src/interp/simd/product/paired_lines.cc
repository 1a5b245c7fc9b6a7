// An instruction adds the products of two neighbouring terms to each sum, for which both sides are
// taken as they lie: 32 terms of some columns are loaded once for some rows. A sum is made of the
// 16 sums of a vector, in an order of its own: who its neighbours are does not change it.
#include "interp/simd/product/paired_lines.h"

#include <algorithm>
#include <cstdint>

#include "interp/simd/instruction_set.h"
#include "interp/simd/product/bf16_vectors.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace hlo::simd {

#if defined(__x86_64__)

namespace {

constexpr int64_t kTerms = 32;  // of a vector
constexpr int64_t kMostRows = 8;

// What begins the columns and rows of a tile, and their sums.
template <int kRows, int kColumns>
struct Tile {
  const uint16_t* rows[kRows];
  const uint16_t* columns[kColumns];
  __m512 sums[kRows][kColumns];
};

// Terms from `k` on that `mask` has.
template <int kRows, int kColumns>
HLOKIT_BF16 inline __attribute__((always_inline)) void AddTerms(Tile<kRows, kColumns>& tile,
                                                                int64_t k, __mmask32 mask) {
  __m512i pairs[kColumns];
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) {
    pairs[c] = _mm512_maskz_loadu_epi16(mask, tile.columns[c] + k);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const __m512i factors = _mm512_maskz_loadu_epi16(mask, tile.rows[r] + k);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) AddProducts(tile.sums[r][c], factors, pairs[c]);
  }
}

// With masks: GCC 12 takes what extracts without one for uninitialized.
HLOKIT_BF16 inline __m128 FoldToBlock(__m512 lanes) {
  const __m256 half = _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, lanes, 0),
                                    _mm512_maskz_extractf32x8_ps(0xff, lanes, 1));
  return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
}

// The sums of the lanes of up to four vectors.
template <int kCount>
HLOKIT_BF16 inline __m128 Fold(const __m512 (&lanes)[kCount]) {
  const auto block = [&](int i) HLOKIT_BF16 {
    return i < kCount ? FoldToBlock(lanes[i]) : _mm_setzero_ps();
  };
  return _mm_hadd_ps(_mm_hadd_ps(block(0), block(1)), _mm_hadd_ps(block(2), block(3)));
}

template <int kRows, int kColumns>
HLOKIT_BF16 void DotTile(const DotArguments<float>& dots, int64_t row, int64_t column) {
  constexpr int64_t kLine = 64;  // bytes
  Tile<kRows, kColumns> tile;
  for (int r = 0; r < kRows; ++r) {
    tile.rows[r] = dots.bf16_rows + dots.row_offsets[static_cast<size_t>(row + r)];
  }
  for (int c = 0; c < kColumns; ++c) {
    tile.columns[c] = dots.columns.narrow + dots.column_offsets[static_cast<size_t>(column + c)];
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) tile.sums[r][c] = _mm512_setzero_ps();
  }
  // As in line_dots-inl.h.
  const auto* next = reinterpret_cast<const char*>(tile.columns[0] + kColumns * dots.count);
  int64_t k = 0;
  for (; k + kTerms <= dots.count; k += kTerms, next += kColumns * kLine) {
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) __builtin_prefetch(next + c * kLine, 0, 2);
    AddTerms(tile, k, __mmask32(-1));
  }
  if (k < dots.count) AddTerms(tile, k, (__mmask32{1} << (dots.count - k)) - 1);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    alignas(16) float sums[4];
    _mm_store_ps(sums, Fold(tile.sums[r]));
    std::copy_n(sums, kColumns, dots.out + (row + r) * dots.out_stride + column);
  }
}

// Of some rows and the columns from `begin` to `end`.
template <int kRows>
void DotColumns(const DotArguments<float>& dots, int64_t row, int64_t begin, int64_t end) {
  constexpr int kColumns = kRows > 6 ? 3 : 4;
  int64_t column = begin;
  for (; column + kColumns <= end; column += kColumns) DotTile<kRows, kColumns>(dots, row, column);
  for (; column < end; ++column) DotTile<kRows, 1>(dots, row, column);
}

template <int kMost = kMostRows>
void DotRows(const DotArguments<float>& dots, int64_t row, int64_t rows, int64_t begin,
             int64_t end) {
  if constexpr (kMost > 1) {
    if (rows < kMost) return DotRows<kMost - 1>(dots, row, rows, begin, end);
  }
  DotColumns<kMost>(dots, row, begin, end);
}

}  // namespace

bool HasPairsToDot(int64_t row_count, int64_t term_count) {
  // One row memory limits; of fewer terms most of the time is spent on the ends.
  return HasBf16Vectors() && row_count >= 2 && term_count >= 2 * kTerms;
}

void DotPairs(const DotArguments<float>& dots) {
  HLO_CHECK(dots.columns.is_narrow());
  const auto row_count = static_cast<int64_t>(dots.row_offsets.size());
  const auto column_count = static_cast<int64_t>(dots.column_offsets.size());
  // Columns go in pieces that stay in the second-level cache, in which they meet all rows.
  constexpr int64_t kPieceSize = int64_t{64} << 10, kWidth = 12;
  const int64_t piece =
      std::max(kPieceSize / std::max<int64_t>(dots.count, 1) / kWidth * kWidth, kWidth);
  const int64_t turns = CeilDiv(row_count, kMostRows);
  for (int64_t begin = 0; begin < column_count; begin += piece) {
    const int64_t end = std::min(column_count, begin + piece);
    for (int64_t turn = 0; turn < turns; ++turn) {
      const int64_t row = turn * row_count / turns;
      DotRows(dots, row, (turn + 1) * row_count / turns - row, begin, end);
    }
  }
}

#else

bool HasPairsToDot(int64_t, int64_t) { return false; }
void DotPairs(const DotArguments<float>&) { HLO_UNREACHABLE(); }

#endif

}  // namespace hlo::simd
