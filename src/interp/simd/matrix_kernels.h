// The innermost loops of matrix products, in the instruction set that this processor has
// (instruction_set.h).
#ifndef HLOKIT_INTERP_SIMD_MATRIX_KERNELS_H_
#define HLOKIT_INTERP_SIMD_MATRIX_KERNELS_H_

#include <cstdint>
#include <span>

namespace hlo::simd {

// Consecutive terms of a sum whose elements of the rows are evenly spaced.
struct SumRun {
  int64_t offset;  // of the first one, from where a row begins
  int64_t length;
};

// out[r, c] (+)= sum over k of rows[r, k] * columns[k, c]: some rows and one panel of columns.
template <typename T>
struct TileArguments {
  const T* rows;
  std::span<const int64_t> row_offsets;  // where each row begins
  std::span<const SumRun> runs;          // k counts through all runs
  int64_t sum_stride;                    // from term to term within a run
  const T* columns;                      // [k, c] is columns[k * column_stride + c]
  int64_t column_stride;
  int64_t column_count;  // at most the panel's width; what is read is rounded up to whole vectors
  T* out;
  int64_t out_stride;  // from row to row
  bool adds;           // to what `out` holds
};

template <typename T>
using MultiplyTile = void (*)(const TileArguments<T>&);

// The sum of a[i] * b[i], `count` of them, in lanes.
template <typename T>
using DotProduct = T (*)(const T* a, const T* b, int64_t count);

template <typename T>
struct MatrixKernels {
  int64_t vector_width;  // elements
  int64_t panel_width;
  MultiplyTile<T> multiply;
  DotProduct<T> dot;
};

// T: float, double, uint32_t, uint64_t.
template <typename T>
const MatrixKernels<T>& GetMatrixKernels();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MATRIX_KERNELS_H_
