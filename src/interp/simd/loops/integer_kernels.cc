// Tile loops of integers, and the conversions between all types.
#include <limits>
#include <type_traits>

#include "interp/simd/loops/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/integer_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/tile_loops-inl.h"
#include "interp/simd/vector/vector_division-inl.h"

#undef HLO_VECTOR_BIT_COUNTS

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#define HLO_VECTOR_BIT_COUNTS
namespace hn = hwy::HWY_NAMESPACE;

struct VectorPopulationCount {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D, hn::Vec<D> x) const {
    return hn::PopulationCount(x);
  }
};

// The ones that are left when the highest one and all behind it are.
struct VectorCountLeadingZeros {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D, hn::Vec<D> x) const {
    constexpr size_t kBits = 8 * sizeof(hn::TFromD<D>);
    x = hn::Or(x, hn::ShiftRight<1>(x));
    x = hn::Or(x, hn::ShiftRight<2>(x));
    x = hn::Or(x, hn::ShiftRight<4>(x));
    if constexpr (kBits > 8) x = hn::Or(x, hn::ShiftRight<8>(x));
    if constexpr (kBits > 16) x = hn::Or(x, hn::ShiftRight<16>(x));
    if constexpr (kBits > 32) x = hn::Or(x, hn::ShiftRight<32>(x));
    return hn::PopulationCount(hn::Not(x));
  }
};
#endif

template <typename T>
TileLoop IntegerLoop(Opcode opcode) {
#ifdef HLO_VECTOR_BIT_COUNTS
  if (opcode == Opcode::kPopulationCount) {
    return VectorUnaryTile<VectorPopulationCount, std::make_unsigned_t<T>>;
  }
  if (opcode == Opcode::kCountLeadingZeros) {
    return VectorUnaryTile<VectorCountLeadingZeros, std::make_unsigned_t<T>>;
  }
#endif
#ifdef HLO_VECTOR_DIVISION
  const bool is_divide = opcode == Opcode::kDivide;
  if (is_divide || opcode == Opcode::kRemainder) {
    if constexpr (sizeof(T) < sizeof(int64_t)) {
      return is_divide ? VectorBinaryTile<NarrowDivide, T> : VectorBinaryTile<NarrowRemainder, T>;
    } else {
      return is_divide ? VectorBinaryTile<WideDivide, T> : VectorBinaryTile<WideRemainder, T>;
    }
  }
#endif
  return FunctorLoop<T>(opcode);
}

TileLoop Elementwise(Opcode opcode, ElementType type) {
  switch (type) {
    case ElementType::kS8:
      return IntegerLoop<int8_t>(opcode);
    case ElementType::kU8:
      return IntegerLoop<uint8_t>(opcode);
    case ElementType::kS16:
      return IntegerLoop<int16_t>(opcode);
    case ElementType::kU16:
      return IntegerLoop<uint16_t>(opcode);
    case ElementType::kS32:
      return IntegerLoop<int32_t>(opcode);
    case ElementType::kU32:
      return IntegerLoop<uint32_t>(opcode);
    case ElementType::kS64:
      return IntegerLoop<int64_t>(opcode);
    case ElementType::kU64:
      return IntegerLoop<uint64_t>(opcode);
    default:  // no integers
      return nullptr;
  }
}

// --- Conversions (semantics.md 2)

// Truncation toward zero, saturation, NaN gives 0. The largest integer may be no float: whatever is
// not below the next power of two saturates.
template <typename To, typename From>
To ConvertedTo(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> &&
                       sizeof(To) < sizeof(int32_t)) {
    using Limits = std::numeric_limits<To>;
    return static_cast<To>(TruncatedWithin<From>(x, Limits::min(), Limits::max()));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr From kEnd = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    constexpr From kMin = static_cast<From>(std::numeric_limits<To>::min());
    const From inside = x >= kMin && x < kEnd ? x : From(0);
    const To value = static_cast<To>(inside);
    return x >= kEnd ? std::numeric_limits<To>::max()
                     : (x < kMin ? std::numeric_limits<To>::min() : value);
  } else {
    return static_cast<To>(x);
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
    return ForTile(to, []<typename To>() -> TileLoop { return ConvertTile<From, To>; });
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

const IntegerKernels& GetIntegerKernels() {
  static const IntegerKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
