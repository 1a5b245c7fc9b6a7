// What a part of a product makes without gaps, and its place in the result.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_COLLECTED_RESULTS_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_COLLECTED_RESULTS_H_

#include <cstddef>
#include <cstdint>

namespace hlo::simd::onednn {

// Bytes of rows that lie side by side in `collected`, and `pitch` apart in `out`.
struct CollectedRows {
  int64_t count, byte_size, pitch;
};

void StoreRows(const CollectedRows& rows, const std::byte* collected, std::byte* out);
// The other way round.
void CollectRows(const CollectedRows& rows, const std::byte* from, std::byte* collected);

// Adds integers of 32 bits to what is there, modulo 2^32.
void AddRows(const CollectedRows& rows, const std::byte* collected, std::byte* out);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_COLLECTED_RESULTS_H_
