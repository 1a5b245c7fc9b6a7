// Tile loops of integers narrower than a byte, one element a byte: the functors wrap to the width.
#include "interp/simd/loops/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/sub_byte_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

TileLoop Elementwise(Opcode opcode, ElementType type) {
  return ForSubByte(type, [&]<typename T>() { return FunctorLoop<T>(opcode); });
}

// Integers keep the bits there is room for; floats are truncated toward zero and saturate, NaN
// gives 0 (semantics.md 2).
template <typename To, typename From>
To ConvertedTo(From x) {
  if constexpr (std::is_floating_point_v<From>) {
    return To(TruncatedWithin<From>(x, To::kMin, To::kMax));
  } else {
    return To(x);
  }
}

template <typename From, typename To>
void ConvertTile(const void* a, const void*, const void*, void* result, int64_t count) {
  const From* x = As<From>(a);
  To* to = As<To>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = ConvertedTo<To>(x[i]); });
}

TileLoop Convert(ElementType from, ElementType to) {
  return ForTile(from, [&]<typename From>() -> TileLoop {
    return ForSubByte(to, []<typename To>() -> TileLoop { return ConvertTile<From, To>; });
  });
}

IntegerKernels AllKernels() { return {Elementwise, Convert}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const IntegerKernels& GetSubByteKernels() {
  static const IntegerKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
