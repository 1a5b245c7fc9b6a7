// Matrix registers 0 to 3 hold sums, 4 and 5 rows, 6 and 7 columns. The instructions are chosen at
// run time, so that the library runs everywhere; compilers know them for x86-64 only.
#include "interp/simd/product/tile_kernels.h"

#include <atomic>

#include "interp/simd/product/byte_products.h"
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
#define HLOKIT_TILE_KERNEL(Name, instruction)                          \
  HLOKIT_TILES void Name(const PanelPairs& panels) {                   \
    const std::byte* rows = panels.rows.bytes;                         \
    const auto line = static_cast<size_t>(panels.rows.line_byte_size); \
    const std::byte* second_rows = rows + panels.rows.tile_byte_size;  \
    const std::byte* columns = panels.columns;                         \
    std::byte* out = panels.out;                                       \
    const auto stride = static_cast<size_t>(panels.out_stride);        \
    std::byte* const second = out + kTileLines * panels.out_stride;    \
    if (panels.continues) {                                            \
      _tile_loadd(0, out, stride);                                     \
      _tile_loadd(1, out + kTileLineByteSize, stride);                 \
    } else {                                                           \
      _tile_zero(0);                                                   \
      _tile_zero(1);                                                   \
    }                                                                  \
    if (panels.continues && panels.has_second_rows) {                  \
      _tile_loadd(2, second, stride);                                  \
      _tile_loadd(3, second + kTileLineByteSize, stride);              \
    } else {                                                           \
      _tile_zero(2);                                                   \
      _tile_zero(3);                                                   \
    }                                                                  \
    for (int64_t block = 0; block < panels.block_count; ++block) {     \
      _tile_loadd(4, rows, line);                                      \
      _tile_loadd(6, columns, kTileLineByteSize);                      \
      _tile_loadd(7, columns + kTileByteSize, kTileLineByteSize);      \
      instruction(0, 4, 6);                                            \
      instruction(1, 4, 7);                                            \
      if (panels.has_second_rows) {                                    \
        _tile_loadd(5, second_rows, line);                             \
        instruction(2, 5, 6);                                          \
        instruction(3, 5, 7);                                          \
      }                                                                \
      rows += panels.rows.block_byte_size;                             \
      second_rows += panels.rows.block_byte_size;                      \
      columns += kPanelBlockByteSize;                                  \
    }                                                                  \
    _tile_stored(0, out, stride);                                      \
    _tile_stored(1, out + kTileLineByteSize, stride);                  \
    if (!panels.has_second_rows) return;                               \
    _tile_stored(2, second, stride);                                   \
    _tile_stored(3, second + kTileLineByteSize, stride);               \
  }
HLOKIT_TILE_KERNEL(MultiplyBf16, _tile_dpbf16ps)
HLOKIT_TILE_KERNEL(MultiplyS8S8, _tile_dpbssd)
HLOKIT_TILE_KERNEL(MultiplyS8U8, _tile_dpbsud)
HLOKIT_TILE_KERNEL(MultiplyU8S8, _tile_dpbusd)
HLOKIT_TILE_KERNEL(MultiplyU8U8, _tile_dpbuud)
#undef HLOKIT_TILE_KERNEL

#else

bool AskForMatrixRegisters() { return false; }
void Configure() {}
void Release() {}
void NoTiles(const PanelPairs&) { HLO_UNREACHABLE(); }
constexpr auto MultiplyBf16 = NoTiles, MultiplyS8S8 = NoTiles, MultiplyS8U8 = NoTiles,
               MultiplyU8S8 = NoTiles, MultiplyU8U8 = NoTiles;

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

void ForbidMatrixRegisters() { is_forbidden = true; }

bool HasTileKernel(TileElements elements) {
  return HasMatrixRegisters() ||
         (elements != TileElements::kBf16 && AvailableByteProducts() != ByteProducts::kNone);
}

TileSession::TileSession() : has_matrix_registers_(HasMatrixRegisters()) {
  if (has_matrix_registers_) Configure();
}
TileSession::~TileSession() {
  if (has_matrix_registers_) Release();
}

void TileSession::Multiply(TileElements elements, const PanelPairs& panels) const {
  if (!has_matrix_registers_) return MultiplyBytes(elements, panels);
  switch (elements) {
    case TileElements::kBf16:
      return ForEachPair(panels, MultiplyBf16);
    case TileElements::kS8S8:
      return ForEachPair(panels, MultiplyS8S8);
    case TileElements::kS8U8:
      return ForEachPair(panels, MultiplyS8U8);
    case TileElements::kU8S8:
      return ForEachPair(panels, MultiplyU8S8);
    case TileElements::kU8U8:
      return ForEachPair(panels, MultiplyU8U8);
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::simd
