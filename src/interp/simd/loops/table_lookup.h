// Elements of 16 bits, each replaced by what a table of all 65,536 says of it.
#ifndef HLOKIT_INTERP_SIMD_LOOPS_TABLE_LOOKUP_H_
#define HLOKIT_INTERP_SIMD_LOOPS_TABLE_LOOKUP_H_

#include <cstdint>

namespace hlo::simd {

// to[i] = table[from[i]]; `to` may be `from`. A stream goes past the caches if `to` is a multiple
// of 16 bytes: others see it after FinishStreams.
void LookUp(const uint16_t* table, const uint16_t* from, uint16_t* to, int64_t count, bool streams);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LOOPS_TABLE_LOOKUP_H_
