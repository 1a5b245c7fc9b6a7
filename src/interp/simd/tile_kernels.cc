// Matrix registers 0 to 3 hold sums, 4 and 5 rows, 6 and 7 columns. The instructions are chosen at
// run time, so that the library runs everywhere; compilers know them for x86-64 only.
//
// The vector instruction multiplies unsigned integers by ones with sign, and wraps. Where both
// sides have a sign, or neither, the rows' elements are taken as 128 more, or less, than they are,
// and 128 times the sum of the columns' elements is taken off again, or added: modulo 2^32 that is
// exact.
#include "interp/simd/tile_kernels.h"

#include <atomic>
#include <cstring>

#include "support/check.h"

#if defined(__x86_64__) && defined(__linux__)
#define HLOKIT_HAS_MATRIX_REGISTERS 1
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hlo::simd {
namespace {

std::atomic<bool> is_forbidden = false;
std::atomic<bool> are_byte_products_forbidden = false;

#ifdef HLOKIT_HAS_MATRIX_REGISTERS

#define HLOKIT_TILES __attribute__((target("amx-tile,amx-bf16,amx-int8")))

bool ProcessorHasMatrixRegisters() {
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & kBf16) != 0 && (edx & kTile) != 0 && (edx & kInt8) != 0;
}

// Linux gives a process these registers when it asks for them (arch_prctl(2)).
bool AskForMatrixRegisters() {
  constexpr int kRequest = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;     // XFEATURE_XTILEDATA
  return ProcessorHasMatrixRegisters() && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

// As the processor reads it: palette 1, eight registers of 16 lines of 64 bytes.
struct alignas(64) TileConfig {
  TileConfig() {
    for (int i = 0; i < 8; ++i) {
      line_byte_sizes[i] = kTileLineByteSize;
      lines[i] = kTileLines;
    }
  }
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t line_byte_sizes[16] = {};
  uint8_t lines[16] = {};
};

HLOKIT_TILES void Configure() {
  static const TileConfig config;
  _tile_loadconfig(&config);
}

HLOKIT_TILES void Release() { _tile_release(); }

// The names of registers are part of the instructions.
#define HLOKIT_TILE_KERNEL(Name, instruction)                       \
  HLOKIT_TILES void Name(const PanelPair& panels) {                 \
    const std::byte* rows = panels.rows;                            \
    const std::byte* columns = panels.columns;                      \
    std::byte* out = panels.out;                                    \
    const auto stride = static_cast<size_t>(panels.out_stride);     \
    std::byte* const second = out + kTileLines * panels.out_stride; \
    if (panels.continues) {                                         \
      _tile_loadd(0, out, stride);                                  \
      _tile_loadd(1, out + kTileLineByteSize, stride);              \
    } else {                                                        \
      _tile_zero(0);                                                \
      _tile_zero(1);                                                \
    }                                                               \
    if (panels.continues && panels.has_second_rows) {               \
      _tile_loadd(2, second, stride);                               \
      _tile_loadd(3, second + kTileLineByteSize, stride);           \
    } else {                                                        \
      _tile_zero(2);                                                \
      _tile_zero(3);                                                \
    }                                                               \
    for (int64_t block = 0; block < panels.block_count; ++block) {  \
      _tile_loadd(4, rows, kTileLineByteSize);                      \
      _tile_loadd(6, columns, kTileLineByteSize);                   \
      _tile_loadd(7, columns + kTileByteSize, kTileLineByteSize);   \
      instruction(0, 4, 6);                                         \
      instruction(1, 4, 7);                                         \
      if (panels.has_second_rows) {                                 \
        _tile_loadd(5, rows + kTileByteSize, kTileLineByteSize);    \
        instruction(2, 5, 6);                                       \
        instruction(3, 5, 7);                                       \
      }                                                             \
      rows += kPanelBlockByteSize;                                  \
      columns += kPanelBlockByteSize;                               \
    }                                                               \
    _tile_stored(0, out, stride);                                   \
    _tile_stored(1, out + kTileLineByteSize, stride);               \
    if (!panels.has_second_rows) return;                            \
    _tile_stored(2, second, stride);                                \
    _tile_stored(3, second + kTileLineByteSize, stride);            \
  }
HLOKIT_TILE_KERNEL(MultiplyBf16, _tile_dpbf16ps)
HLOKIT_TILE_KERNEL(MultiplyS8S8, _tile_dpbssd)
HLOKIT_TILE_KERNEL(MultiplyS8U8, _tile_dpbsud)
HLOKIT_TILE_KERNEL(MultiplyU8S8, _tile_dpbusd)
HLOKIT_TILE_KERNEL(MultiplyU8U8, _tile_dpbuud)
#undef HLOKIT_TILE_KERNEL

#define HLOKIT_BYTES __attribute__((target("avx512f,avx512bw,avx512vnni")))

bool ProcessorHasByteProducts() {
  return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
}

// Some rows of a tile, from the first of them on; `out` is theirs. Loops are unrolled so that sums
// are in registers.
template <bool kHasSignedRows, bool kHasSignedColumns>
HLOKIT_BYTES inline void MultiplyByteRows(const PanelPair& panels, const std::byte* rows,
                                          std::byte* out) {
  constexpr int kRows = 8;
  constexpr bool kIsShifted = kHasSignedRows == kHasSignedColumns;
  const __m512i shift = _mm512_set1_epi8(-128), ones = _mm512_set1_epi8(1);
  __m512i sums[kRows][2], columns_sums[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const std::byte* row = out + r * panels.out_stride;
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      sums[r][v] = panels.continues ? _mm512_loadu_si512(row + v * kTileLineByteSize)
                                    : _mm512_setzero_si512();
    }
  }
  const std::byte* columns = panels.columns;
  for (int64_t block = 0; block < panels.block_count; ++block) {
    for (int64_t k = 0; k < kTileLineByteSize; k += 4) {
      __m512i terms[2];
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        terms[v] = _mm512_loadu_si512(columns + v * kTileByteSize + k * kTileLines);
        if constexpr (kIsShifted) {
          columns_sums[v] = kHasSignedColumns
                                ? _mm512_dpbusd_epi32(columns_sums[v], ones, terms[v])
                                : _mm512_dpbusd_epi32(columns_sums[v], terms[v], ones);
        }
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        int32_t four;
        std::memcpy(&four, rows + r * kTileLineByteSize + k, sizeof(four));
        __m512i factors = _mm512_set1_epi32(four);
        if constexpr (kIsShifted) factors = _mm512_xor_si512(factors, shift);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          sums[r][v] = kHasSignedColumns ? _mm512_dpbusd_epi32(sums[r][v], factors, terms[v])
                                         : _mm512_dpbusd_epi32(sums[r][v], terms[v], factors);
        }
      }
    }
    rows += kPanelBlockByteSize;
    columns += kPanelBlockByteSize;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      if constexpr (kIsShifted) {
        const __m512i shifted = _mm512_mullo_epi32(columns_sums[v], _mm512_set1_epi32(128));
        sums[r][v] = kHasSignedColumns ? _mm512_sub_epi32(sums[r][v], shifted)
                                       : _mm512_add_epi32(sums[r][v], shifted);
      }
      _mm512_storeu_si512(out + r * panels.out_stride + v * kTileLineByteSize, sums[r][v]);
    }
  }
}

template <bool kHasSignedRows, bool kHasSignedColumns>
HLOKIT_BYTES void MultiplyBytes(const PanelPair& panels) {
  constexpr int64_t kRows = 8;
  const int64_t row_count = panels.has_second_rows ? kPanelLines : kTileLines;
  for (int64_t row = 0; row < row_count; row += kRows) {
    MultiplyByteRows<kHasSignedRows, kHasSignedColumns>(
        panels, panels.rows + row * kTileLineByteSize, panels.out + row * panels.out_stride);
  }
}

#else

bool AskForMatrixRegisters() { return false; }
bool ProcessorHasByteProducts() { return false; }
void Configure() {}
void Release() {}
void NoTiles(const PanelPair&) { HLO_UNREACHABLE(); }
constexpr auto MultiplyBf16 = NoTiles, MultiplyS8S8 = NoTiles, MultiplyS8U8 = NoTiles,
               MultiplyU8S8 = NoTiles, MultiplyU8U8 = NoTiles;
template <bool, bool>
constexpr auto MultiplyBytes = NoTiles;

#endif

}  // namespace

std::optional<TileElements> TileElementsOf(ElementType rows, ElementType columns) {
  using enum ElementType;
  if (rows == kBf16 && columns == kBf16) return TileElements::kBf16;
  if (rows == kS8 && columns == kS8) return TileElements::kS8S8;
  if (rows == kS8 && columns == kU8) return TileElements::kS8U8;
  if (rows == kU8 && columns == kS8) return TileElements::kU8S8;
  if (rows == kU8 && columns == kU8) return TileElements::kU8U8;
  return std::nullopt;
}

bool HasMatrixRegisters() {
  static const bool has_tiles = AskForMatrixRegisters();
  return has_tiles && !is_forbidden;
}

bool HasByteProducts() {
  static const bool has_byte_products = ProcessorHasByteProducts();
  return has_byte_products && !are_byte_products_forbidden;
}

void ForbidMatrixRegisters() { is_forbidden = true; }
void ForbidByteProducts() { are_byte_products_forbidden = true; }

bool HasTileKernel(TileElements elements) {
  return HasMatrixRegisters() || (elements != TileElements::kBf16 && HasByteProducts());
}

TileSession::TileSession() : has_matrix_registers_(HasMatrixRegisters()) {
  if (has_matrix_registers_) Configure();
}
TileSession::~TileSession() {
  if (has_matrix_registers_) Release();
}

void TileSession::Multiply(TileElements elements, const PanelPair& panels) const {
  switch (elements) {
    case TileElements::kBf16:
      return MultiplyBf16(panels);
    case TileElements::kS8S8:
      return has_matrix_registers_ ? MultiplyS8S8(panels) : MultiplyBytes<true, true>(panels);
    case TileElements::kS8U8:
      return has_matrix_registers_ ? MultiplyS8U8(panels) : MultiplyBytes<true, false>(panels);
    case TileElements::kU8S8:
      return has_matrix_registers_ ? MultiplyU8S8(panels) : MultiplyBytes<false, true>(panels);
    case TileElements::kU8U8:
      return has_matrix_registers_ ? MultiplyU8U8(panels) : MultiplyBytes<false, false>(panels);
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::simd
