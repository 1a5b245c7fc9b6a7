// Numbers of C++ in loops that the compiler makes vectors of; others by way of s64.
#include "interp/simd/loops/count_elements.h"

#include <algorithm>
#include <type_traits>

#include "interp/simd/loops/block_kernels.h"
#include "ir/element_conversion.h"

namespace hlo::simd {
namespace {

using CountLoop = void (*)(int64_t begin, int64_t stride, int64_t count, std::byte* to);

template <typename T>
void CountNumbers(int64_t begin, int64_t stride, int64_t count, std::byte* to) {
  T* elements = reinterpret_cast<T*>(to);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using Bits = std::make_unsigned_t<T>;  // of the number: so many of them are the element
    const auto first = static_cast<Bits>(begin), step = static_cast<Bits>(stride);
    for (int64_t i = 0; i < count; ++i) {
      elements[i] = static_cast<T>(static_cast<Bits>(first + static_cast<Bits>(i) * step));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) elements[i] = static_cast<T>(begin + i * stride);
  }
}

void CountOthers(ElementType type, int64_t begin, int64_t stride, int64_t count, std::byte* to) {
  constexpr int64_t kBlock = 256;
  int64_t numbers[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t size = std::min(kBlock, count - i);
    for (int64_t k = 0; k < size; ++k) numbers[k] = begin + (i + k) * stride;
    ConvertElements(ElementType::kS64, reinterpret_cast<const std::byte*>(numbers), type,
                    to + i * ElementByteSize(type), size);
  }
}

}  // namespace

void CountElements(ElementType type, int64_t begin, int64_t stride, int64_t count, std::byte* to) {
  const bool is_number = TileType(type) == type;
  const CountLoop loop =
      is_number ? ForTile(type, []<typename T>() -> CountLoop { return CountNumbers<T>; })
                : nullptr;
  loop != nullptr ? loop(begin, stride, count, to) : CountOthers(type, begin, stride, count, to);
}

}  // namespace hlo::simd
