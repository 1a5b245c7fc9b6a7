// Elements of 64 bits are pairs of words as they lie in memory, and copied; for all others the
// conversion from u32 to an integer type of that width keeps the low bits. For 6 bits there is
// none: these are bytes whose two upper bits are cleared.
#include "interp/reference/random_words.h"

#include <cstring>

#include "ir/element_conversion.h"

namespace hlo::reference {
namespace {

// The integer type that holds the bits of `type`.
ElementType BitsType(ElementType type) {
  if (IsInteger(type)) return type;
  // f6 too goes into bytes: its two upper bits are cleared.
  return UnsignedTypeOf(BitWidth(type)).value_or(ElementType::kU8);
}

}  // namespace

void StoreBits(std::span<const uint32_t> words, const MutableArrayRef& bits) {
  const int64_t count = bits.element_count();
  if (WordsPerElement(bits.element_type) == 2) {
    if (count > 0) std::memcpy(bits.bytes, words.data(), bits.byte_size());
    return;
  }
  ConvertElements(ElementType::kU32, reinterpret_cast<const std::byte*>(words.data()),
                  BitsType(bits.element_type), bits.bytes, count);
  if (BitWidth(bits.element_type) != 6) return;
  for (int64_t i = 0; i < count; ++i) bits.bytes[i] &= std::byte{0x3f};
}

}  // namespace hlo::reference
