// An instruction adds two products to each sum, of terms that lie side by side. Those of rows are
// put so once for all columns; two lines of columns are interleaved in registers, and multiplied by
// all rows, or half of them, from there.
#include "interp/simd/product/paired_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "interp/simd/product/neighbour_products.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace hlo::simd {

#if defined(__x86_64__)

namespace {

constexpr int64_t kTerms = 64, kPairs = kTerms / 2;  // that sums are in registers for
constexpr int64_t kLanes = 16;                       // sums of a vector
constexpr int64_t kMostSums = 26;                    // vectors, beside those of columns
constexpr int64_t kMostRows = kMostSums / 2;
constexpr int64_t kAhead = 256;  // columns

// Some terms of all rows and columns: pair p of row r is factors[r][p].
struct PairedTerms {
  uint32_t factors[kMaxWideRows][kPairs];
  const uint16_t* columns;
  int64_t stride;  // from term to term of the columns
  int64_t count;   // of terms
  bool adds;       // to what there is
};

// Two lines of 32 columns as pairs, those of the first 16 and of the others.
struct TwoPairs {
  __m512i low, high;
};
HLOKIT_NEIGHBOURS inline TwoPairs Interleaved(__m512i first, __m512i second) {
  alignas(64) static constexpr auto kOrder = [] {
    std::array<uint16_t, 64> order{};
    for (uint16_t i = 0; i < 64; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
    return order;
  }();
  return {_mm512_permutex2var_epi16(first, _mm512_load_si512(&kOrder[0]), second),
          _mm512_permutex2var_epi16(first, _mm512_load_si512(&kOrder[32]), second)};
}

// Of kRows rows from `row` on, and kVectors vectors of columns from `column` on. What `mask` leaves
// out, of the last 32 of them, is no column.
template <int kRows, int kVectors>
HLOKIT_NEIGHBOURS inline void AddColumns(const PairedTerms& terms, int64_t row, int64_t column,
                                         __mmask32 mask, float* out, int64_t out_stride) {
  __m512 sums[kRows][kVectors];
  const auto mask_of = [mask](int v) {
    return v < kVectors - 2 ? __mmask16(-1) : static_cast<__mmask16>(mask >> (v % 2 * kLanes));
  };
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = terms.adds ? _mm512_maskz_loadu_ps(mask_of(v), out + r * out_stride + v * kLanes)
                              : _mm512_setzero_ps();
    }
  }
  const uint16_t* line = terms.columns + column;
  for (int64_t k = 0; k < terms.count; k += 2, line += 2 * terms.stride) {
    const bool is_pair = k + 1 < terms.count;
    __m512i pairs[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; v += 2) {
      const __mmask32 own = v + 2 < kVectors ? __mmask32(-1) : mask;
      // Lines a power of two apart push each other out of the first-level cache.
      _mm_prefetch(line + v * kLanes + kAhead, _MM_HINT_T1);
      _mm_prefetch(line + terms.stride + v * kLanes + kAhead, _MM_HINT_T1);
      const __m512i first = _mm512_maskz_loadu_epi16(own, line + v * kLanes);
      const __m512i second =
          _mm512_maskz_loadu_epi16(is_pair ? own : 0, line + terms.stride + v * kLanes);
      const TwoPairs two = Interleaved(first, second);
      pairs[v] = two.low;
      pairs[v + 1] = two.high;
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i factors = _mm512_set1_epi32(static_cast<int>(terms.factors[row + r][k / 2]));
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) AddPairProducts(sums[r][v], factors, pairs[v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      _mm512_mask_storeu_ps(out + r * out_stride + v * kLanes, mask_of(v), sums[r][v]);
    }
  }
}

template <int kRows>
HLOKIT_NEIGHBOURS void AddRows(const PairedTerms& terms, int64_t row,
                               const TileArguments<float>& tile) {
  constexpr int kVectors = 4 * kRows <= kMostSums ? 4 : 2;
  float* const out = tile.out + row * tile.out_stride;
  int64_t c = 0;
  for (; c + kVectors * kLanes <= tile.column_count; c += kVectors * kLanes) {
    AddColumns<kRows, kVectors>(terms, row, c, __mmask32(-1), out + c, tile.out_stride);
  }
  for (; c < tile.column_count; c += 2 * kLanes) {
    const int64_t count = std::min(2 * kLanes, tile.column_count - c);
    const auto mask = static_cast<__mmask32>((uint64_t{1} << count) - 1);
    AddColumns<kRows, 2>(terms, row, c, mask, out + c, tile.out_stride);
  }
}

// Of `rows` rows, kMost at most.
template <int kMost = kMostRows>
void AddSomeRows(const PairedTerms& terms, int64_t row, int64_t rows,
                 const TileArguments<float>& tile) {
  if constexpr (kMost > 1) {
    if (rows < kMost) return AddSomeRows<kMost - 1>(terms, row, rows, tile);
  }
  AddRows<kMost>(terms, row, tile);
}

// Terms from `begin` on of all rows, the pair of a last one alone being 0.
void FillFactors(const TileArguments<float>& tile, int64_t begin, PairedTerms& terms) {
  const auto bf16 = [](float number) { return std::bit_cast<uint32_t>(number) >> 16; };
  for (size_t r = 0; r < tile.row_offsets.size(); ++r) {
    const float* from =
        tile.rows + tile.row_offsets[r] + tile.runs[0].offset + begin * tile.sum_stride;
    for (int64_t k = 0; k < terms.count; k += 2, from += 2 * tile.sum_stride) {
      const uint32_t second = k + 1 < terms.count ? bf16(from[tile.sum_stride]) : 0;
      terms.factors[r][k / 2] = bf16(*from) | second << 16;
    }
  }
}

}  // namespace

void MultiplyPairs(const TileArguments<float>& tile) {
  const auto row_count = static_cast<int64_t>(tile.row_offsets.size());
  HLO_CHECK(row_count <= kMaxWideRows);
  const int64_t term_count = tile.runs[0].length;
  const int64_t turns = CeilDiv(row_count, kMostRows);
  PairedTerms terms;
  terms.stride = tile.column_stride;
  for (int64_t begin = 0; begin < term_count; begin += kTerms) {
    terms.columns = tile.columns.narrow + begin * tile.column_stride;
    terms.count = std::min(kTerms, term_count - begin);
    terms.adds = tile.adds || begin > 0;
    FillFactors(tile, begin, terms);
    for (int64_t turn = 0; turn < turns; ++turn) {
      const int64_t row = turn * row_count / turns;
      AddSomeRows(terms, row, (turn + 1) * row_count / turns - row, tile);
    }
  }
}

#else

void MultiplyPairs(const TileArguments<float>&) { HLO_UNREACHABLE(); }

#endif

}  // namespace hlo::simd
