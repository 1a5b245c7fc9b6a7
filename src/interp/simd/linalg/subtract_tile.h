// What factorizations and solutions of triangular systems (cholesky.cc, triangular_solve.cc) spend
// their time in: products are subtracted from a tile of the matrix, one after the other and rounded
// each time, as the definition has it. So many elements at a time change no bit.
#ifndef HLOKIT_INTERP_SIMD_LINALG_SUBTRACT_TILE_H_
#define HLOKIT_INTERP_SIMD_LINALG_SUBTRACT_TILE_H_

#include <cstdint>

#include "interp/simd/linalg/planes.h"

namespace hlo::simd {

// Columns of a tile.
inline constexpr int64_t kTileWidth = 16;

// c[r, j] -= a[r, 0] * b[0, j], then a[r, 1] * b[1, j] ..., for all columns j of a tile.
using SubtractTile = void (*)(int64_t row_count, int64_t term_count, Planes<const double> a,
                              Planes<const double> b, Planes<double> c);

struct TileSubtraction {
  SubtractTile real;
  SubtractTile complex;
};

// In the instruction set that this processor has.
const TileSubtraction& GetTileSubtraction();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_SUBTRACT_TILE_H_
