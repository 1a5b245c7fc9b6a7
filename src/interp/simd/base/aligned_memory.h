// Memory that kernels keep from run to run.
#ifndef HLOKIT_INTERP_SIMD_BASE_ALIGNED_MEMORY_H_
#define HLOKIT_INTERP_SIMD_BASE_ALIGNED_MEMORY_H_

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
  explicit AlignedMemory(int64_t byte_size) {
    const bool has_many_pages = byte_size >= kManyPages;
    const auto size = static_cast<size_t>(Aligned(byte_size));
    const int64_t alignment = has_many_pages ? kHugePage : kAlignment;
    void* bytes = nullptr;
    if (posix_memalign(&bytes, static_cast<size_t>(alignment), size) != 0) throw std::bad_alloc();
    bytes_.reset(static_cast<std::byte*>(bytes));
    if (has_many_pages) AskForHugePages(bytes, size);
  }

  std::byte* get() const { return bytes_.get(); }

 private:
  // A kernel of a convolution is read from its first byte to its last, page after page.
  static constexpr int64_t kHugePage = int64_t{2} << 20, kManyPages = 2 * kHugePage;

  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };

  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BASE_ALIGNED_MEMORY_H_
