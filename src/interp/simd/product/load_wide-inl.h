// Elements of other types as vectors of carriers, and sums of their products; compiled once for
// each instruction set (Highway's pattern for such headers: the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_PRODUCT_LOAD_WIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_PRODUCT_LOAD_WIDE_INL_H_
#undef HLOKIT_INTERP_SIMD_PRODUCT_LOAD_WIDE_INL_H_
#else
#define HLOKIT_INTERP_SIMD_PRODUCT_LOAD_WIDE_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"
#include "interp/simd/product/matrix_kernels.h"
#include "ir/narrow_float.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMaxVectors = 4;  // of a panel
// 512 bits come with 32 registers, fewer with 16.
constexpr bool kHasManyRegisters = HWY_MAX_BYTES >= 64;

// Sums of integers wrap, and have no fused form.
template <class D, class V>
HWY_INLINE V AddProduct(D, V a, V b, V sum) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::MulAdd(a, b, sum);
  } else {
    return hn::Add(sum, hn::Mul(a, b));
  }
}

template <typename S>
inline constexpr bool kIsByWayOfF16 =
    std::is_same_v<S, F16> || std::is_same_v<S, F8E5M2> || std::is_same_v<S, F8E4M3Fn>;

// The bits of f16 that have the same exponent and mantissa; those of a NaN, where it is one.
template <class D, typename S>
HWY_INLINE hn::Vec<hn::Rebind<uint16_t, D>> LoadAsF16(D, const S* from) {
  const hn::Rebind<uint16_t, D> half;
  if constexpr (std::is_same_v<S, F16>) {
    return hn::LoadU(half, reinterpret_cast<const uint16_t*>(from));
  } else {
    const hn::Rebind<uint8_t, D> bytes;
    const auto code = hn::PromoteTo(half, hn::LoadU(bytes, reinterpret_cast<const uint8_t*>(from)));
    if constexpr (std::is_same_v<S, F8E5M2>) {
      return hn::ShiftLeft<8>(code);
    } else {
      const auto mask = hn::Set(half, 0x7f << 7), sign = hn::Set(half, 0x8000);
      const auto magnitude = hn::And(hn::ShiftLeft<7>(code), mask);
      const auto nan = hn::VecFromMask(half, hn::Eq(magnitude, mask));
      return hn::Or(hn::Or(magnitude, nan), hn::And(hn::ShiftLeft<8>(code), sign));
    }
  }
}

// What is left of the difference between the formats: that of the biases.
template <typename S, class D>
HWY_INLINE hn::Vec<D> ScaledFromF16(D d, hn::Vec<D> number) {
  if constexpr (!std::is_same_v<S, F8E4M3Fn>)
    return number;
  else
    return hn::Mul(number, hn::Set(d, 1 << (F16::kFormat.bias - F8E4M3Fn::kFormat.bias)));
}

// Carriers from where they, or elements whose numbers they all hold, lie; bf16 by its bits.
template <class D, typename S>
HWY_INLINE hn::Vec<D> LoadWide(D d, const S* from) {
  using T = hn::TFromD<D>;
  if constexpr (std::is_same_v<S, T>) {
    return hn::LoadU(d, from);
  } else if constexpr (std::is_same_v<S, uint16_t>) {
    const hn::RebindToUnsigned<D> bits;
    const hn::Rebind<uint16_t, D> narrow;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, hn::LoadU(narrow, from))));
  } else if constexpr (kIsByWayOfF16<S>) {
    const hn::Rebind<hwy::float16_t, D> half;
    return ScaledFromF16<S>(d, hn::PromoteTo(d, hn::BitCast(half, LoadAsF16(d, from))));
  } else if constexpr (sizeof(S) == 4) {  // double from float or int32_t
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<S, D>(), from));
  } else {
    const hn::Rebind<int32_t, D> numbers;
    const auto wide = hn::PromoteTo(numbers, hn::LoadU(hn::Rebind<S, D>(), from));
    if constexpr (!hwy::IsFloat<T>())
      return hn::BitCast(d, wide);
    else if constexpr (sizeof(T) == 8)
      return hn::PromoteTo(d, wide);
    else
      return hn::ConvertTo(d, wide);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_LOAD_WIDE_INL_H_
