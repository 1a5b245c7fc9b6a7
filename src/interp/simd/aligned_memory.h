// Memory for what is packed once.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_ALIGNED_MEMORY_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "support/checked_math.h"

namespace hlo::simd::onednn {

// What the library's vectors and tiles are loaded from begins at multiples of this.
constexpr int64_t kAlignment = 64;

inline int64_t Aligned(int64_t byte_size) { return CeilDiv(byte_size, kAlignment) * kAlignment; }

// Uninitialised and aligned, or nothing. Throws std::bad_alloc.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  explicit AlignedMemory(int64_t byte_size)
      : bytes_(static_cast<std::byte*>(
            std::aligned_alloc(kAlignment, static_cast<size_t>(Aligned(byte_size))))) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }

  std::byte* get() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };

  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_ALIGNED_MEMORY_H_
