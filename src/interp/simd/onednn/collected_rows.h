// Rows without gaps, as the library wants them of a part of a product or makes them, and their
// place in an array.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_COLLECTED_ROWS_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_COLLECTED_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace hlo::simd::onednn {

// How many, and the bytes of one; they lie side by side in `collected`, `pitch` apart in the array.
struct CollectedRows {
  int64_t count, byte_size, pitch;
};

void CollectRows(const CollectedRows& rows, const std::byte* from, std::byte* collected);
void StoreRows(const CollectedRows& rows, const std::byte* collected, std::byte* out);
// Adds integers of 32 bits to what is there, modulo 2^32.
void AddRows(const CollectedRows& rows, const std::byte* collected, std::byte* out);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_COLLECTED_ROWS_H_
