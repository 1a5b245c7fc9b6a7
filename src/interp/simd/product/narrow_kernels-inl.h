// An instance for each pair of types that has vector instructions, of instruction sets with wide
// vectors only: each takes long to compile, and what has none is converted to a block in the caches
// first (converted_product.h).
//
// A .cc for each carrier includes this once, with HLO_CARRIER as its type.
#include "interp/simd/product/narrow_kernels.h"

// No guard: the file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/product/narrow_kernels-inl.h"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/product/line_dots-inl.h"
#include "interp/simd/product/wide_columns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE2 || HWY_TARGET == HWY_SSE4

template <typename T>
NarrowKernels<T> Kernels(ElementType) {
  return {};
}

#else

template <typename T, typename S>
const S* ColumnsOf(ProductData<T> data) {
  return reinterpret_cast<const S*>(data.others);
}

template <typename T, typename S>
NarrowKernels<T> KernelsOf(int64_t most_dot_rows = INT64_MAX) {
  return {
      .multiply_wide = [](const TileArguments<T>& tile)
                           HWY_ATTR { MultiplyWideColumns(tile, ColumnsOf<T, S>(tile.columns)); },
      .dot = [](const DotArguments<T>& dots)
                 HWY_ATTR { DotAllColumns(dots, ColumnsOf<T, S>(dots.columns)); },
      .most_dot_rows = most_dot_rows};
}

template <typename T>
NarrowKernels<T> Kernels(ElementType type) {
  [[maybe_unused]] constexpr bool kIsF32 = std::is_same_v<T, float>;
  constexpr bool kIsF64 = std::is_same_v<T, double>;
  switch (type) {
    case ElementType::kS8:
      return KernelsOf<T, int8_t>();
    case ElementType::kU8:
      if constexpr (!kIsF64) return KernelsOf<T, uint8_t>();
      break;
    case ElementType::kS16:
      if constexpr (!kIsF64) return KernelsOf<T, int16_t>();
      break;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3  // F16C
    case ElementType::kF16:
      if constexpr (kIsF32) return KernelsOf<T, F16>();
      break;
    case ElementType::kF8E5M2:
      if constexpr (kIsF32) return KernelsOf<T, F8E5M2>();
      break;
    case ElementType::kF8E4M3Fn:
      if constexpr (kIsF32) return KernelsOf<T, F8E4M3Fn>(/*most_dot_rows=*/8);
      break;
#endif
    case ElementType::kS32:
      if constexpr (kIsF64) return KernelsOf<T, int32_t>();
      break;
    case ElementType::kF32:
      if constexpr (kIsF64) return KernelsOf<T, float>();
      break;
    default:
      break;
  }
  return {};
}

#endif

NarrowKernels<HLO_CARRIER> CarrierKernels(ElementType type) { return Kernels<HLO_CARRIER>(type); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(CarrierKernels);

template <>
NarrowKernels<HLO_CARRIER> GetNarrowKernels(ElementType type) {
  return HWY_DYNAMIC_DISPATCH(CarrierKernels)(type);
}

}  // namespace hlo::simd
#endif
