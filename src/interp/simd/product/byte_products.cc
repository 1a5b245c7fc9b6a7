// The instruction that adds four products multiplies unsigned integers by ones with sign, and
// wraps. Where both sides have a sign, or neither, the rows' elements are taken as 128 more, or
// less, than they are, and 128 times the sum of the columns' elements is taken off again, or added:
// modulo 2^32 that is exact. Two products of 16-bit integers are exact as they are.
#include "interp/simd/product/byte_products.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "interp/simd/product/neighbour_products.h"
#include "support/check.h"

#if defined(__x86_64__)
#define HLOKIT_HAS_BYTE_PRODUCTS 1
#include <immintrin.h>
#endif

namespace hlo::simd {
namespace {

std::atomic<ByteProducts> limit = ByteProducts::kFour;

#ifdef HLOKIT_HAS_BYTE_PRODUCTS

ByteProducts ByteProductsOfProcessor() {
  if (__builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vnni") != 0) {
    return ByteProducts::kFour;
  }
  return __builtin_cpu_supports("avx2") != 0 ? ByteProducts::kTwo : ByteProducts::kNone;
}

// --- Four products at a time

constexpr int64_t kFourRows = 8;
constexpr int kFourVectors = 2;     // of columns: a panel's
constexpr int64_t kFourBlocks = 8;  // of terms, that first-level caches hold

// Rows of some blocks as if they had no sign, or one.
struct ShiftedRows {
  alignas(64) std::byte terms[kFourBlocks * kPanelBlockByteSize];
};

HLOKIT_NEIGHBOURS inline void ShiftRows(const std::byte* rows, int64_t block_count,
                                        ShiftedRows& to) {
  const __m512i shift = _mm512_set1_epi8(-128);
  for (int64_t i = 0; i < block_count * kPanelBlockByteSize; i += kTileLineByteSize) {
    _mm512_store_si512(to.terms + i, _mm512_xor_si512(_mm512_loadu_si512(rows + i), shift));
  }
}

// What shifted rows add to the sums of each column: 128 times the sum of its elements.
struct Shifts {
  __m512i columns[kFourVectors];
};

// In several sums side by side, since each addition waits for the one before it.
template <bool kHasSignedColumns>
HLOKIT_NEIGHBOURS inline Shifts ShiftsOf(const std::byte* columns, int64_t block_count) {
  constexpr int kSums = 4;
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i sums[kSums][kFourVectors];
#pragma GCC unroll 4
  for (auto& sum : sums) sum[0] = sum[1] = _mm512_setzero_si512();
  for (int64_t block = 0; block < block_count; ++block, columns += kPanelBlockByteSize) {
    for (int64_t k = 0; k < kTileLineByteSize; k += 4 * kSums) {
#pragma GCC unroll 4
      for (int s = 0; s < kSums; ++s) {
#pragma GCC unroll 2
        for (int v = 0; v < kFourVectors; ++v) {
          const std::byte* const at = columns + v * kTileByteSize + (k + 4 * s) * kTileLines;
          const __m512i terms = _mm512_loadu_si512(at);
          kHasSignedColumns ? AddFourProducts(sums[s][v], ones, terms)
                            : AddFourProducts(sums[s][v], terms, ones);
        }
      }
    }
  }
  const __m512i shift = _mm512_set1_epi32(128);
  Shifts shifts;
#pragma GCC unroll 2
  for (int v = 0; v < kFourVectors; ++v) {
    const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(sums[0][v], sums[1][v]),
                                         _mm512_add_epi32(sums[2][v], sums[3][v]));
    shifts.columns[v] = _mm512_mullo_epi32(sum, shift);
  }
  return shifts;
}

// Of kFourRows rows and a panel of columns, of so many blocks; `out` is theirs. Loops are unrolled
// so that sums are in registers.
template <bool kHasSignedColumns>
HLOKIT_NEIGHBOURS inline void AddFours(const std::byte* rows, const std::byte* columns,
                                       int64_t block_count, const Shifts* shifts, std::byte* out,
                                       int64_t out_stride, bool continues) {
  __m512i sums[kFourRows][kFourVectors];
#pragma GCC unroll 8
  for (auto& row : sums) row[0] = row[1] = _mm512_setzero_si512();
  for (int64_t block = 0; block < block_count; ++block) {
    for (int64_t k = 0; k < kTileLineByteSize; k += 4) {
      const std::byte* at = columns + k * kTileLines;
      const __m512i terms[kFourVectors] = {_mm512_loadu_si512(at),
                                           _mm512_loadu_si512(at + kTileByteSize)};
#pragma GCC unroll 8
      for (int64_t r = 0; r < kFourRows; ++r) {
        int32_t four;
        std::memcpy(&four, rows + r * kTileLineByteSize + k, sizeof(four));
        const __m512i factors = _mm512_set1_epi32(four);
#pragma GCC unroll 2
        for (int v = 0; v < kFourVectors; ++v) {
          kHasSignedColumns ? AddFourProducts(sums[r][v], factors, terms[v])
                            : AddFourProducts(sums[r][v], terms[v], factors);
        }
      }
    }
    rows += kPanelBlockByteSize;
    columns += kPanelBlockByteSize;
  }
#pragma GCC unroll 8
  for (int64_t r = 0; r < kFourRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kFourVectors; ++v) {
      std::byte* const to = out + r * out_stride + v * kTileLineByteSize;
      __m512i sum = sums[r][v];
      if (shifts != nullptr) {
        sum = kHasSignedColumns ? _mm512_sub_epi32(sum, shifts->columns[v])
                                : _mm512_add_epi32(sum, shifts->columns[v]);
      }
      if (continues) sum = _mm512_add_epi32(sum, _mm512_loadu_si512(to));
      _mm512_storeu_si512(to, sum);
    }
  }
}

// Of some blocks, and rows as these have them. Columns are summed once for all rows.
template <bool kHasSignedColumns>
HLOKIT_NEIGHBOURS void AddFourBlocks(const PanelPairs& pair, const std::byte* rows,
                                     int64_t block_count, bool are_shifted, bool continues) {
  Shifts shifts;
  if (are_shifted) shifts = ShiftsOf<kHasSignedColumns>(pair.columns, block_count);
  const int64_t row_count = pair.has_second_rows ? kPanelLines : kTileLines;
  for (int64_t row = 0; row < row_count; row += kFourRows) {
    AddFours<kHasSignedColumns>(rows + row * kTileLineByteSize, pair.columns, block_count,
                                are_shifted ? &shifts : nullptr, pair.out + row * pair.out_stride,
                                pair.out_stride, continues);
  }
}

// Rows are shifted once for all columns.
template <bool kHasSignedRows, bool kHasSignedColumns>
HLOKIT_NEIGHBOURS void MultiplyByFours(const PanelPairs& panels) {
  constexpr bool kIsShifted = kHasSignedRows == kHasSignedColumns;
  ShiftedRows shifted;
  for (int64_t begin = 0; begin < panels.block_count; begin += kFourBlocks) {
    const int64_t blocks = std::min(kFourBlocks, panels.block_count - begin);
    const int64_t first = begin * kPanelBlockByteSize;
    const bool continues = panels.continues || begin > 0;
    if constexpr (kIsShifted) ShiftRows(panels.rows.bytes + first, blocks, shifted);
    const std::byte* const rows = kIsShifted ? shifted.terms : panels.rows.bytes + first;
    ForEachPair(panels, [&](PanelPairs pair) {
      pair.columns += first;
      AddFourBlocks<kHasSignedColumns>(pair, rows, blocks, kIsShifted, continues);
    });
  }
}

// --- Two products at a time

#define HLOKIT_PAIRS __attribute__((target("avx2")))

constexpr int64_t kPairRows = 4;
constexpr int64_t kPairColumns = 8;  // two vectors, of four columns with two sums each
constexpr int64_t kPairBlocks = 8;   // of terms, that first-level caches hold

template <bool kIsSigned>
HLOKIT_PAIRS inline __m256i Widened(const std::byte* sixteen) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen));
  return kIsSigned ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
}

// Rows of some blocks, in 16 bits, one behind the other.
struct WideRow {
  alignas(64) int16_t terms[kPairBlocks * kTileLineByteSize];
};

template <bool kIsSigned>
HLOKIT_PAIRS void WidenRows(const std::byte* rows, int64_t row_count, int64_t block_count,
                            WideRow* to) {
  for (int64_t block = 0; block < block_count; ++block, rows += kPanelBlockByteSize) {
    for (int64_t r = 0; r < row_count; ++r) {
      for (int64_t k = 0; k < kTileLineByteSize; k += 16) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to[r].terms + block * kTileLineByteSize + k),
                           Widened<kIsSigned>(rows + r * kTileLineByteSize + k));
      }
    }
  }
}

// Of kPairRows rows and kPairColumns columns of so many blocks; `out` is theirs. Loops are unrolled
// so that sums are in registers.
template <bool kHasSignedColumns>
HLOKIT_PAIRS void AddPairs(const WideRow* rows, const std::byte* columns, int64_t block_count,
                           std::byte* out, int64_t out_stride, bool continues) {
  __m256i sums[kPairRows][2];
#pragma GCC unroll 4
  for (auto& row : sums) row[0] = row[1] = _mm256_setzero_si256();
  for (int64_t block = 0; block < block_count; ++block, columns += kPanelBlockByteSize) {
#pragma GCC unroll 2
    for (int64_t k = 0; k < kTileLineByteSize; k += 4) {
      const std::byte* at = columns + k * kTileLines;
      const __m256i terms[2] = {Widened<kHasSignedColumns>(at),
                                Widened<kHasSignedColumns>(at + 16)};
#pragma GCC unroll 4
      for (int64_t r = 0; r < kPairRows; ++r) {
        int64_t four;
        std::memcpy(&four, rows[r].terms + block * kTileLineByteSize + k, sizeof(four));
        const __m256i factors = _mm256_set1_epi64x(four);
        sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(factors, terms[0]));
        sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(factors, terms[1]));
      }
    }
  }
#pragma GCC unroll 4
  for (int64_t r = 0; r < kPairRows; ++r) {
    // Columns 0, 1, 4, 5, 2, 3, 6, 7.
    const __m256i added = _mm256_hadd_epi32(sums[r][0], sums[r][1]);
    __m256i sum = _mm256_permute4x64_epi64(added, 0b11'01'10'00);
    auto* to = reinterpret_cast<__m256i*>(out + r * out_stride);
    if (continues) sum = _mm256_add_epi32(sum, _mm256_loadu_si256(to));
    _mm256_storeu_si256(to, sum);
  }
}

// Of some blocks, and rows as these have them.
template <bool kHasSignedColumns>
HLOKIT_PAIRS void AddBlocks(const PanelPairs& panels, const WideRow* rows, int64_t row_count,
                            int64_t block_count, bool continues) {
  for (int64_t row = 0; row < row_count; row += kPairRows) {
    for (int64_t c = 0; c < panels.column_count; c += kPairColumns) {
      const std::byte* columns =
          panels.columns + c / kTileLines * kTileByteSize + c % kTileLines * kTileSumSize;
      AddPairs<kHasSignedColumns>(rows + row, columns, block_count,
                                  panels.out + row * panels.out_stride + c * kTileSumSize,
                                  panels.out_stride, continues);
    }
  }
}

// Rows are widened once for all columns; each column where it is multiplied, which is as fast as to
// load it from where it is wide.
template <bool kHasSignedRows, bool kHasSignedColumns>
HLOKIT_PAIRS void MultiplyByPairs(const PanelPairs& panels) {
  const int64_t row_count = panels.has_second_rows ? kPanelLines : kTileLines;
  WideRow wide[kPanelLines];
  for (int64_t begin = 0; begin < panels.block_count; begin += kPairBlocks) {
    const int64_t blocks = std::min(kPairBlocks, panels.block_count - begin);
    const int64_t first = begin * kPanelBlockByteSize;
    const bool continues = panels.continues || begin > 0;
    WidenRows<kHasSignedRows>(panels.rows.bytes + first, row_count, blocks, wide);
    ForEachPair(panels, [&](PanelPairs pair) {
      pair.columns += first;
      AddBlocks<kHasSignedColumns>(pair, wide, row_count, blocks, continues);
    });
  }
}

#else

ByteProducts ByteProductsOfProcessor() { return ByteProducts::kNone; }
template <bool, bool>
void MultiplyByFours(const PanelPairs&) {
  HLO_UNREACHABLE();
}
template <bool, bool>
void MultiplyByPairs(const PanelPairs&) {
  HLO_UNREACHABLE();
}

#endif

template <bool kHasSignedRows, bool kHasSignedColumns>
void Multiply(const PanelPairs& panels) {
  AvailableByteProducts() == ByteProducts::kFour
      ? MultiplyByFours<kHasSignedRows, kHasSignedColumns>(panels)
      : MultiplyByPairs<kHasSignedRows, kHasSignedColumns>(panels);
}

}  // namespace

ByteProducts AvailableByteProducts() {
  static const ByteProducts most = ByteProductsOfProcessor();
  return std::min(most, limit.load());
}

void LimitByteProducts(ByteProducts most) { limit = most; }

void MultiplyBytes(TileElements elements, const PanelPairs& panels) {
  switch (elements) {
    case TileElements::kBf16:
      break;
    case TileElements::kS8S8:
      return Multiply<true, true>(panels);
    case TileElements::kS8U8:
      return Multiply<true, false>(panels);
    case TileElements::kU8S8:
      return Multiply<false, true>(panels);
    case TileElements::kU8U8:
      return Multiply<false, false>(panels);
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::simd
