// Compiled for vectors: sums in many pieces are added up here.
#include "interp/simd/onednn/collected_results.h"

#include <cstring>

namespace hlo::simd::onednn {

void StoreRows(const CollectedRows& rows, const std::byte* collected, std::byte* out) {
  for (int64_t r = 0; r < rows.count; ++r) {
    std::memcpy(out + r * rows.pitch, collected + r * rows.byte_size,
                static_cast<size_t>(rows.byte_size));
  }
}

void CollectRows(const CollectedRows& rows, const std::byte* from, std::byte* collected) {
  for (int64_t r = 0; r < rows.count; ++r) {
    std::memcpy(collected + r * rows.byte_size, from + r * rows.pitch,
                static_cast<size_t>(rows.byte_size));
  }
}

void AddRows(const CollectedRows& rows, const std::byte* collected, std::byte* out) {
  const int64_t count = rows.byte_size / static_cast<int64_t>(sizeof(uint32_t));
  for (int64_t r = 0; r < rows.count; ++r) {
    const auto* const from = reinterpret_cast<const uint32_t*>(collected + r * rows.byte_size);
    auto* const to = reinterpret_cast<uint32_t*>(out + r * rows.pitch);
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];
  }
}

}  // namespace hlo::simd::onednn
