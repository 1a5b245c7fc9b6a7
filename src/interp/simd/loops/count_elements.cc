// Numbers of C++ in plain loops, which the compiler makes vectors of; others by way of s64.
#include "interp/simd/loops/count_elements.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "interp/simd/loops/block_kernels.h"
#include "ir/element_conversion.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/count_elements.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

using CountLoop = void (*)(int64_t begin, int64_t stride, int64_t count, std::byte* to);

// In numbers of type N.
template <typename N, typename T>
void CountIn(int64_t begin, int64_t stride, int64_t count, T* to) {
  const auto first = static_cast<N>(begin), step = static_cast<N>(stride);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<T>(static_cast<N>(first + static_cast<N>(i) * step));
  }
}

template <typename T>
void CountNumbers(int64_t begin, int64_t stride, int64_t count, std::byte* to) {
  T* elements = reinterpret_cast<T*>(to);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    // Of the number so many bits are the element. Shorter ones would be multiplied as `int`.
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    CountIn<Bits>(begin, stride, count, elements);
  } else {
    // Numbers of 32 bits become floats many at a time.
    constexpr int64_t kEnd = 1 << 30;
    const bool is_short =
        std::abs(begin) < kEnd && count < kEnd && (count == 0 || std::abs(stride) < kEnd / count);
    is_short ? CountIn<int32_t>(begin, stride, count, elements)
             : CountIn<int64_t>(begin, stride, count, elements);
  }
}

CountLoop FindCountLoop(ElementType type) {
  return ForTile(type, []<typename T>() -> CountLoop { return CountNumbers<T>; });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {
namespace {

HWY_EXPORT(FindCountLoop);

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
  const auto loop = is_number ? HWY_DYNAMIC_DISPATCH(FindCountLoop)(type) : nullptr;
  loop != nullptr ? loop(begin, stride, count, to) : CountOthers(type, begin, stride, count, to);
}

}  // namespace hlo::simd
#endif
