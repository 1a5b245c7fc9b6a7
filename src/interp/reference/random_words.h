// Streams of random 32-bit words as elements of any type (semantics.md 12.3).
#ifndef HLOKIT_INTERP_REFERENCE_RANDOM_WORDS_H_
#define HLOKIT_INTERP_REFERENCE_RANDOM_WORDS_H_

#include <cstdint>
#include <span>

#include "interp/kernel/array_view.h"

namespace hlo::reference {

// How many words one element takes: two for 64-bit types.
inline int64_t WordsPerElement(ElementType type) { return BitWidth(type) == 64 ? 2 : 1; }

// The number of words that the elements of `bits` take.
inline int64_t WordCount(const MutableArrayRef& bits) {
  return bits.element_count() * WordsPerElement(bits.element_type);
}

// Gives each element the low bits of its word, or its pair of words, low word first. Integers and
// floats only.
void StoreBits(std::span<const uint32_t> words, const MutableArrayRef& bits);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_RANDOM_WORDS_H_
