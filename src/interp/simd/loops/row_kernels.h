// Loops that combine rows of elements, in the instruction set that this processor has. Sums of
// floats are near those in f64, which the definition has (semantics.md 9.1), and finite where these
// are: terms are added by eights in f32 (f64: one by one), what that gives in f64.
#ifndef HLOKIT_INTERP_SIMD_LOOPS_ROW_KERNELS_H_
#define HLOKIT_INTERP_SIMD_LOOPS_ROW_KERNELS_H_

#include <cstdint>

#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo::simd {

// result[r] = init[0] combined with values[r * length], values[r * length + 1] ...; lanes in
// between, in a fixed order.
using RowLoop = void (*)(const void* values, const void* init, void* result, int64_t row_count,
                         int64_t length);
// *sum += all of so many values.
using SumTerms = void (*)(const void* values, int64_t count, double* sum);
// So many rows, whose sums are made in f32, are the fastest to sum at a time, and as many as caches
// fetch ahead from.
inline constexpr int64_t kSummedRows = 8;
// sums[i] += values[i] + values[i + stride] ..., one value of each row, for i below `count`.
using SumRows = void (*)(const void* values, int64_t stride, int64_t row_count, int64_t count,
                         double* sums);
// Of rows of `length` pairs, `stride` pairs apart: sums[2r] += the first of all pairs of row r,
// sums[2r + 1] += the second. For short rows.
using SumPairRows = void (*)(const void* values, int64_t stride, int64_t row_count, int64_t length,
                             double* sums);
// result[i] = init[0] combined with values[i], values[i + stride] ..., one value of each row after
// the other, for i below `count`.
using CombineRows = void (*)(const void* values, int64_t stride, int64_t row_count, int64_t count,
                             const void* init, void* result);
// result[i] = starts[i] combined with values[i], values[i + stride] ..., as above, each time
// rounded to a narrower type. Starts may be the results.
using CombineRounded = void (*)(const void* values, int64_t stride, int64_t row_count,
                                int64_t count, const void* starts, void* result);
// result[i] = init[0] combined with values[2i], values[2i + step] ..., so many terms one after the
// other, for i below `count`: windows every two elements.
using CombinePairs = void (*)(const void* values, int64_t step, int64_t term_count, int64_t count,
                              const void* init, void* result);
// result[k] = result[k - step] combined with values[k], for k = 0, step ... and so many of them,
// where the first is combined with init[0]; a step is 1 or -1.
using ScanRow = void (*)(const void* values, int64_t step, int64_t count, const void* init,
                         void* result);

// All functions below return null where there is no loop. Values are of the type of a tile.
struct RowReductions {
  // Also of bf16, which is widened on the way: results of that are f32.
  RowLoop (*reduce)(Opcode opcode, ElementType type);
  SumTerms (*sum_terms)(ElementType type);
  SumRows (*sum_rows)(ElementType type);
  SumPairRows (*sum_pairs)(ElementType type);
};
struct RowCombinations {
  CombineRows (*combine_rows)(Opcode opcode, ElementType type);
  CombinePairs (*combine_pairs)(Opcode opcode, ElementType type);  // floats
  ScanRow (*scan)(Opcode opcode, ElementType type);
  // Of elements of a narrower type, as tiles hold them, rounded to that.
  CombineRounded (*combine_rounded)(Opcode opcode, ElementType type);
};

const RowReductions& GetRowReductions();
const RowCombinations& GetRowCombinations();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_ROW_KERNELS_H_
