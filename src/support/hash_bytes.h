// Hash and equality of short texts: names, words and shapes, which are looked up all the time.
#ifndef HLOKIT_SUPPORT_HASH_BYTES_H_
#define HLOKIT_SUPPORT_HASH_BYTES_H_

#include <cstdint>
#include <cstring>
#include <string_view>

namespace hlo {

// The hash of any bytes; never reads beyond them.
inline uint32_t HashBytes(std::string_view text) {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15u;
  const char* p = text.data();
  size_t size = text.size();
  uint64_t hash = size;
  uint64_t word;
  for (; size >= 8; p += 8, size -= 8) {
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  }
  if (size >= 4) {
    uint32_t low, high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + size - 4, 4);
    word = uint64_t{high} << 32 | low;
  } else if (size > 0) {
    word = static_cast<unsigned char>(p[0]) | static_cast<unsigned char>(p[size / 2]) << 8 |
           static_cast<unsigned char>(p[size - 1]) << 16;
  } else {
    word = 0;
  }
  // A product's low bits know nothing of its factors' high bits, where the last characters are:
  // names that differ in a final digit need the second round.
  hash = (hash ^ word) * kMultiplier;
  hash = (hash ^ hash >> 32) * kMultiplier;
  return static_cast<uint32_t>(hash >> 32);
}

// Whether `size` bytes are equal; for names, most of which are shorter than a call is long.
inline bool EqualBytes(const char* a, const char* b, size_t size) {
  if (size < 8) {
    if (size >= 4) {
      uint32_t a_low, a_high, b_low, b_high;
      std::memcpy(&a_low, a, 4);
      std::memcpy(&b_low, b, 4);
      std::memcpy(&a_high, a + size - 4, 4);
      std::memcpy(&b_high, b + size - 4, 4);
      return a_low == b_low && a_high == b_high;
    }
    for (size_t i = 0; i < size; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  uint64_t a_word, b_word;
  for (size_t i = 0; i + 8 < size; i += 8) {
    std::memcpy(&a_word, a + i, 8);
    std::memcpy(&b_word, b + i, 8);
    if (a_word != b_word) return false;
  }
  std::memcpy(&a_word, a + size - 8, 8);
  std::memcpy(&b_word, b + size - 8, 8);
  return a_word == b_word;
}

inline bool EqualBytes(std::string_view a, std::string_view b) {
  return a.size() == b.size() && EqualBytes(a.data(), b.data(), a.size());
}

// For hash tables whose keys are short texts.
struct BytesHash {
  size_t operator()(std::string_view text) const { return HashBytes(text); }
};
struct BytesEqual {
  bool operator()(std::string_view a, std::string_view b) const { return EqualBytes(a, b); }
};

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_HASH_BYTES_H_
