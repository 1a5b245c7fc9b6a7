// Compiled for vectors: sums in many pieces are added up here.
#include "interp/simd/onednn/collected_rows.h"

#include <cstring>

namespace hlo::simd::onednn {

namespace {

void CopyRows(const CollectedRows& rows, const std::byte* from, int64_t from_pitch, std::byte* to,
              int64_t to_pitch) {
  for (int64_t r = 0; r < rows.count; ++r) {
    std::memcpy(to + r * to_pitch, from + r * from_pitch, static_cast<size_t>(rows.byte_size));
  }
}

}  // namespace

void CollectRows(const CollectedRows& rows, const std::byte* from, std::byte* collected) {
  CopyRows(rows, from, rows.pitch, collected, rows.byte_size);
}

void StoreRows(const CollectedRows& rows, const std::byte* collected, std::byte* out) {
  CopyRows(rows, collected, rows.byte_size, out, rows.pitch);
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
