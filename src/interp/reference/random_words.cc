#include "interp/reference/random_words.h"

#include <cstring>

#include "ir/element_conversion.h"

namespace hlo::reference {
namespace {

// The integer type that holds the bits of `type`.
ElementType BitsType(ElementType type) {
  if (IsInteger(type)) return type;
  switch (BitWidth(type)) {
    case 4:
      return ElementType::kU4;
    case 16:
      return ElementType::kU16;
    case 32:
      return ElementType::kU32;
    case 64:
      return ElementType::kU64;
    default:
      return ElementType::kU8;  // f6 too: its two upper bits are cleared
  }
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
