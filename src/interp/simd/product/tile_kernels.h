// The matrix registers of a processor (AMX on x86-64): each holds a tile of 16 lines of 64 bytes,
// and one instruction multiplies two of them. Where there are none, 8-bit integers are multiplied
// in the same order by vectors (byte_products.h).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_TILE_KERNELS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_TILE_KERNELS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ir/element_type.h"

namespace hlo::simd {

inline constexpr int64_t kTileLines = 16;
inline constexpr int64_t kTileLineByteSize = 64;
inline constexpr int64_t kTileByteSize = kTileLines * kTileLineByteSize;
// Panels are two tiles wide.
inline constexpr int64_t kPanelLines = 2 * kTileLines;
inline constexpr int64_t kPanelBlockByteSize = 2 * kTileByteSize;
inline constexpr int64_t kTileSumSize = 4;  // bytes: f32 or s32

// What is multiplied: rows by columns.
enum class TileElements : uint8_t { kBf16, kS8S8, kS8U8, kU8S8, kU8U8 };

// How tiles hold arrays of these types; nothing for others. Sums are f32 or s32.
std::optional<TileElements> TileElementsOf(ElementType rows, ElementType columns);

// Whether this processor has such registers and the system lets us use them.
bool HasMatrixRegisters();
// Makes it false (instruction_set.h).
void ForbidMatrixRegisters();
// Whether tiles of these are multiplied in either way.
bool HasTileKernel(TileElements elements);

// A panel of rows: blocks as below, or, for matrix registers, rows of an array as they lie.
struct RowPanel {
  const std::byte* bytes;
  int64_t line_byte_size = kTileLineByteSize;  // from a row to the next of its tile
  int64_t tile_byte_size = kTileByteSize;      // from one tile to the next
  int64_t block_byte_size = kPanelBlockByteSize;
};

// Sums of one panel of rows with some of columns. All are sequences of blocks, each of as many
// terms as a line of a tile holds:
//   rows     [block][tile][row][term]
//   columns  [block][tile][terms of 4 bytes][column][term of these]
struct PanelPairs {
  RowPanel rows;
  const std::byte* columns;
  int64_t column_panel_byte_size;  // from one panel of columns to the next
  int64_t block_count;
  bool has_second_rows;  // false: the panel's second tile of rows is not looked at
  int64_t column_count;  // that are wanted
  std::byte* out;        // [row, column] of f32 or s32
  int64_t out_stride;    // bytes from row to row
  bool continues;        // sums go on from what `out` has
};

// Calls multiply(pairs) for each panel of columns by itself.
template <typename Function>
void ForEachPair(const PanelPairs& panels, const Function& multiply) {
  PanelPairs pair = panels;
  for (int64_t c = 0; c < panels.column_count; c += kPanelLines) {
    pair.column_count = std::min(kPanelLines, panels.column_count - c);
    multiply(pair);
    pair.columns += panels.column_panel_byte_size;
    pair.out += kPanelLines * kTileSumSize;
  }
}

// While there is one, this thread's matrix registers, if any, are set up for Multiply, which is for
// elements that HasTileKernel.
class TileSession {
 public:
  TileSession();
  ~TileSession();
  TileSession(const TileSession&) = delete;
  TileSession& operator=(const TileSession&) = delete;

  void Multiply(TileElements elements, const PanelPairs& panels) const;

 private:
  const bool has_matrix_registers_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_TILE_KERNELS_H_
