// Copies past the caches.
#ifndef HLOKIT_SUPPORT_STREAM_COPY_H_
#define HLOKIT_SUPPORT_STREAM_COPY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hlo {

// Results from here on are written past the caches, where runs are long enough: whoever reads them
// finds no more than their end there anyway.
inline constexpr int64_t kStreamedSize = int64_t{1} << 25;

// The same for results that no step reads: they would only push out of the caches what steps do
// read. Smaller ones may still be there when the program's user reads them.
inline constexpr int64_t kStreamedOutputSize = int64_t{1} << 22;

// As memcpy, for what nobody reads before it has left the caches anyway: lines that are written
// whole are not read from memory first. Processors without such stores copy as ever. Others see the
// bytes after FinishStreams.
inline void StreamCopy(std::byte* to, const std::byte* from, size_t byte_size) {
#if defined(__SSE2__)
  constexpr size_t kLine = 64;
  const size_t head = -reinterpret_cast<uintptr_t>(to) % kLine;
  if (byte_size >= head + kLine) {
    std::memcpy(to, from, head);
    to += head;
    from += head;
    byte_size -= head;
    for (; byte_size >= kLine; byte_size -= kLine, to += kLine, from += kLine) {
      const auto* source = reinterpret_cast<const __m128i*>(from);
      auto* target = reinterpret_cast<__m128i*>(to);
      for (int i = 0; i < 4; ++i) _mm_stream_si128(target + i, _mm_loadu_si128(source + i));
    }
  }
#endif
  std::memcpy(to, from, byte_size);
}

inline void FinishStreams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_STREAM_COPY_H_
