// The definition (semantics.md 5.3) in the tile's type, which holds fractions exactly: scaled by a
// power of two they are compared with random bits as integers.
#include "interp/simd/loops/stochastic_conversion.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/stochastic_conversion.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// The largest number may be no float: the next one is compared with then, and none lies between.
template <int64_t kMax, typename T, typename Random>
HWY_INLINE int64_t RoundedAtRandom(T x, Random random) {
  constexpr T kEnd = static_cast<T>(kMax), kMin = static_cast<T>(-kMax - 1);
  constexpr T kScale = T(2) * static_cast<T>(uint64_t{1} << (8 * sizeof(Random) - 1));
  const bool is_inside = x > kMin && x < kEnd;
  const T magnitude = std::fabs(is_inside ? x : T(0));
  const auto whole = static_cast<int64_t>(magnitude);
  const T fraction = magnitude - static_cast<T>(whole);
  const bool goes_up = random < static_cast<uint64_t>(fraction * kScale);
  const auto rounded = static_cast<uint64_t>(whole) + (goes_up ? 1 : 0);
  const auto inside = static_cast<int64_t>(x < 0 ? 0 - rounded : rounded);
  return x >= kEnd ? kMax : x <= kMin ? -kMax - 1 : inside;
}

template <typename T, typename Random, typename To>
void ConvertTile(const void* a, const void* b, const void*, void* result, int64_t count) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max() >> (64 - IntegerTraits<To>::kBits);
  const T* x = As<T>(a);
  const Random* random = As<Random>(b);
  To* to = As<To>(result);
  ForEachElement(
      count, [&](int64_t i) { to[i] = static_cast<To>(RoundedAtRandom<kMax>(x[i], random[i])); });
}

template <typename T, typename Random>
TileLoop LoopTo(ElementType to) {
  switch (to) {
    case ElementType::kS1:
      return ConvertTile<T, Random, S1>;
    case ElementType::kS2:
      return ConvertTile<T, Random, S2>;
    case ElementType::kS4:
      return ConvertTile<T, Random, S4>;
    case ElementType::kS8:
      return ConvertTile<T, Random, int8_t>;
    case ElementType::kS16:
      return ConvertTile<T, Random, int16_t>;
    case ElementType::kS32:
      return ConvertTile<T, Random, int32_t>;
    case ElementType::kS64:
      return ConvertTile<T, Random, int64_t>;
    default:  // not defined
      return nullptr;
  }
}

TileLoop Conversion(ElementType from, ElementType random, ElementType to) {
  if (!IsFloat(from) || ElementByteSize(from) != ElementByteSize(random) ||
      BitWidth(from) != BitWidth(random)) {
    return nullptr;
  }
  switch (random) {
    case ElementType::kU8:
      return LoopTo<float, uint8_t>(to);
    case ElementType::kU16:
      return LoopTo<float, uint16_t>(to);
    case ElementType::kU32:
      return LoopTo<float, uint32_t>(to);
    case ElementType::kU64:
      return LoopTo<double, uint64_t>(to);
    default:  // not defined, or narrower than a byte
      return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(Conversion);

TileLoop StochasticConversion(ElementType from, ElementType random, ElementType to) {
  return HWY_DYNAMIC_DISPATCH(Conversion)(from, random, to);
}

}  // namespace hlo::simd
#endif
