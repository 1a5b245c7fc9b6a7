// A loop for each number of bits, which tiles have no other way to know, and the two halves of the
// definition one after the other: so there are the sum of both numbers, not the product. Bits are
// integers, and what NaN keep is selected, so that compilers make vectors of it.
#include "interp/simd/loops/precision_kernels.h"

#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/precision_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
struct Format {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  static constexpr int kExponentBits = static_cast<int>(sizeof(T)) * 8 - 1 - kMantissaBits;
  static constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  static constexpr Bits kInfinity = ((Bits{1} << kExponentBits) - 1) << kMantissaBits;
};

// result[i] = f(a[i]) of the bits of Ts.
template <typename T, typename Function>
HWY_INLINE void ForBits(const void* a, void* result, int64_t count, const Function& f) {
  using Bits = typename Format<T>::Bits;
  const Bits* from = As<Bits>(a);
  Bits* to = As<Bits>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = f(from[i]); });
}

// To nearest even; a carry raises the exponent, up to infinity.
template <typename T, int kKept>
void RoundMantissaTile(const void* a, const void*, const void*, void* result, int64_t count) {
  using Bits = typename Format<T>::Bits;
  constexpr int kDropped = Format<T>::kMantissaBits - kKept;
  constexpr Bits kLast = Bits{1} << kDropped;
  ForBits<T>(a, result, count, [](Bits x) {
    const Bits rounded = (x + ((x >> kDropped) & 1) + (kLast >> 1) - 1) & ~(kLast - 1);
    const bool is_nan = (x & ~Format<T>::kSign) > Format<T>::kInfinity;
    return is_nan ? (kKept > 0 ? x : Format<T>::kInfinity) : rounded;
  });
}

// There are no subnormals.
template <typename T, int kBits>
void LimitExponentTile(const void* a, const void*, const void*, void* result, int64_t count) {
  using Bits = typename Format<T>::Bits;
  constexpr Bits kBias = (Bits{1} << (Format<T>::kExponentBits - 1)) - 1;
  constexpr Bits kReducedBias = (Bits{1} << (kBits - 1)) - 1;
  constexpr Bits kTooLarge = (kBias + kReducedBias + 1) << Format<T>::kMantissaBits;
  constexpr Bits kLeast = (kBias - kReducedBias + 1) << Format<T>::kMantissaBits;
  ForBits<T>(a, result, count, [](Bits x) {
    const Bits sign = x & Format<T>::kSign, magnitude = x & ~Format<T>::kSign;
    const Bits limited =
        magnitude >= kTooLarge ? sign | Format<T>::kInfinity : (magnitude < kLeast ? sign : x);
    return magnitude > Format<T>::kInfinity ? x : limited;
  });
}

template <typename T, size_t... kKept>
TileLoop RoundMantissaLoop(int64_t kept, std::index_sequence<kKept...>) {
  static constexpr TileLoop kLoops[] = {RoundMantissaTile<T, static_cast<int>(kKept)>...};
  return kept < static_cast<int64_t>(sizeof...(kKept)) ? kLoops[kept] : nullptr;
}
template <typename T, size_t... kBefore>
TileLoop LimitExponentLoop(int64_t bits, std::index_sequence<kBefore...>) {
  static constexpr TileLoop kLoops[] = {LimitExponentTile<T, static_cast<int>(kBefore) + 1>...};
  return bits <= static_cast<int64_t>(sizeof...(kBefore)) ? kLoops[bits - 1] : nullptr;
}

TileLoop RoundMantissa(ElementType type, int64_t mantissa_bits) {
  if (type == ElementType::kF64) {
    return RoundMantissaLoop<double>(mantissa_bits,
                                     std::make_index_sequence<Format<double>::kMantissaBits>());
  }
  return RoundMantissaLoop<float>(mantissa_bits,
                                  std::make_index_sequence<Format<float>::kMantissaBits>());
}

TileLoop LimitExponent(ElementType type, int64_t exponent_bits) {
  if (type == ElementType::kF64) {
    return LimitExponentLoop<double>(exponent_bits,
                                     std::make_index_sequence<Format<double>::kExponentBits - 1>());
  }
  return LimitExponentLoop<float>(exponent_bits,
                                  std::make_index_sequence<Format<float>::kExponentBits - 1>());
}

PrecisionKernels AllKernels() { return {RoundMantissa, LimitExponent}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const PrecisionKernels& GetPrecisionKernels() {
  static const PrecisionKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
