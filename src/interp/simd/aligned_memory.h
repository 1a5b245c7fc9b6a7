// Memory that kernels keep from run to run.
#ifndef HLOKIT_INTERP_SIMD_ALIGNED_MEMORY_H_
#define HLOKIT_INTERP_SIMD_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "support/checked_math.h"
#include "support/huge_pages.h"

namespace hlo::simd {

// What vectors and tiles are loaded from begins at multiples of this: a load within a line of the
// cache.
constexpr int64_t kAlignment = 64;

inline int64_t Aligned(int64_t byte_size) { return CeilDiv(byte_size, kAlignment) * kAlignment; }

// Uninitialised and aligned, or nothing. Throws std::bad_alloc.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  explicit AlignedMemory(int64_t byte_size)
      : bytes_(static_cast<std::byte*>(std::aligned_alloc(
            byte_size >= kManyPages ? kHugePage : kAlignment, Size(byte_size)))) {
    if (bytes_ == nullptr) throw std::bad_alloc();
    if (byte_size >= kManyPages) AskForHugePages(bytes_.get(), Size(byte_size));
  }

  std::byte* get() const { return bytes_.get(); }

 private:
  // A kernel of a convolution is read from its first byte to its last, page after page.
  static constexpr int64_t kHugePage = int64_t{2} << 20, kManyPages = 2 * kHugePage;

  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  static size_t Size(int64_t byte_size) { return static_cast<size_t>(Aligned(byte_size)); }

  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_ALIGNED_MEMORY_H_
